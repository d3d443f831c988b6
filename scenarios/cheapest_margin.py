"""The margin that wary customers need, and a controller that learns it.

Pessimists avoid arms that few have tried. They refuse the least offer, because it covers the loss
according to the records but not the loss that they fear. The script sweeps a fixed margin on top of
it, on the same tapes, and compares the best one with a controller that learns from refusals.

    python scenarios/cheapest_margin.py --replications 400
"""

import argparse

import kcmab_abm as kcmab

MARGINS = [0.0, 0.05, 0.1, 0.2, 0.4]


def scenario(replications, horizon):
    """A sweep with one point per margin: wary customers, four arms."""
    fixed = [{"purse.offer": {"rule": "fixed-margin", "margin": margin}} for margin in MARGINS]
    learned = [{"purse.offer": {"rule": "learned-margin", "goal": 0.9, "step": 0.05}}]
    return kcmab.make_scenario(
        {
            "title": "What margin do wary customers need?",
            "horizon": horizon,
            "replications": replications,
            "seed": 17,
            "market": {
                "arms": {"law": "bernoulli", "means": [0.8, 0.7, 0.5, 0.3]},
                "customers": {"behaviour": "optimism", "kappa": -0.3},
            },
            "policy": [{"name": "modified-ts"}],
            "sweep": {"list": fixed + learned},
        }
    )


def main():
    """Run the sweep and print the costs of each margin."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replications", type=int, default=400)
    parser.add_argument("--horizon", type=int, default=5000)
    parser.add_argument("--engine", default="auto", choices=["auto", "market", "batch"])
    options = parser.parse_args()
    market = scenario(options.replications, options.horizon)
    results = kcmab.sweep(market, engine=options.engine)
    table = results.summary()
    table["margin"] = [f"{margin:g}" for margin in MARGINS] + ["learned"]
    table["total"] = table.regret + table.compensation
    columns = ["margin", "regret", "regret_se", "compensation", "acceptance", "locked_in", "total"]
    print(table[columns].round(3).to_string(index=False))
    best = table.loc[table.total.idxmin()]
    print(f"smallest sum of regret and compensation: margin {best.margin}, {best.total:.1f}")


if __name__ == "__main__":
    main()
