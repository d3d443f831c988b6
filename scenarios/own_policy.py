"""A custom policy and a custom behaviour, compared with the paper's on the same markets.

The controller explores each arm a fixed number of times and then trusts the record. The customers
disregard part of every offer, so they refuse the least offer of the paper and accept only offers
with a margin.

    python scenarios/own_policy.py --replications 1000
"""

import argparse

import kcmab_abm as kcmab


@kcmab.policy(
    "explore-then-commit",
    cites="Robbins 1952",
    tries=kcmab.Parameter(20, "pulls of each arm before the record is trusted", ge=1),
)
def choose(book, params, rng):
    """Promote an arm with too few pulls, else the arm with the best record."""
    for arm in range(len(book.pulls)):
        if book.pulls[arm] < params.tries:
            return arm
    return kcmab.leader(book, rng)


@kcmab.behaviour(
    "grumbling",
    memory={"value": "arms"},
    share=kcmab.Parameter(0.2, "share of an offer that she disregards", ge=0.0, le=1.0),
)
def take(book, board, memory, params, rng):
    """Take the best deal, valuing an offer at less than its amount."""
    memory.value[:] = book.means
    return kcmab.best_deal(memory.value, 1.0 - params.share, book, board, rng)


def scenario(title, replications, horizon, customers, margin):
    """Three controllers, four arms, the given customers and margin."""
    return kcmab.make_scenario(
        {
            "title": title,
            "horizon": horizon,
            "replications": replications,
            "seed": 7,
            "market": {
                "arms": {"law": "bernoulli", "means": [0.8, 0.7, 0.5, 0.3]},
                "customers": {"behaviour": customers},
            },
            "purse": {"offer": {"rule": "proportional-margin", "share": margin}},
            "policy": [
                {"name": "explore-then-commit"},
                {"name": "ucb"},
                {"name": "modified-ts"},
            ],
        }
    )


def main():
    """Run three markets and print their costs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replications", type=int, default=500)
    parser.add_argument("--horizon", type=int, default=5000)
    parser.add_argument("--engine", default="auto", choices=["auto", "market", "batch"])
    options = parser.parse_args()
    columns = ["policy", "regret", "regret_se", "compensation", "compensation_se", "acceptance"]
    markets = [
        ("greedy customers, the least offer", "greedy", 0.0),
        ("grumbling customers, the least offer", "grumbling", 0.0),
        ("grumbling customers, the least offer and 30 %", "grumbling", 0.3),
    ]
    for title, customers, margin in markets:
        market = scenario(title, options.replications, options.horizon, customers, margin)
        results = kcmab.simulate(market, engine=options.engine)
        print(f"\n{market.title}")
        print(results.summary()[columns].round(2).to_string(index=False))
        differences = results.paired().query("measure == 'regret'")
        print("differences of regret on the same tapes:")
        print(differences[["policy", "other", "difference", "low", "high"]].round(2).to_string())


if __name__ == "__main__":
    main()
