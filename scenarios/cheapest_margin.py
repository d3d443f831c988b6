"""What margin do wary customers need, and can a controller learn it.

Pessimists shun what few have tried, so that the least offer, which makes up for what they read but
not for what they fear, is refused. The script sweeps a fixed margin on top of it, on the same
tapes, and sets the best of them beside a controller who learns its margin from refusals.

    python scenarios/cheapest_margin.py --replications 400
"""

import argparse

import kcmab_abm as kcmab

MARGINS = [0.0, 0.05, 0.1, 0.2, 0.4]


def scenario(replications, horizon):
    """Wary customers, four arms, and every margin as a point of a sweep."""
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
    """Run the sweep and print what each margin cost."""
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
    print(f"least regret and compensation together: margin {best.margin}, {best.total:.1f}")


if __name__ == "__main__":
    main()
