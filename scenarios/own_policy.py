"""A policy and a behaviour of one's own, compared with the paper's on the same markets.

The controller explores each arm a fixed number of times and then trusts the record; the customers
grumble: an offer is worth less to them than it costs, so that the least offer of the paper is
refused, and a margin has to win them over.

    python scenarios/own_policy.py --replications 1000
"""

import argparse

import kcmab_abm as kcmab


@kcmab.policy(
    "explore-then-commit",
    cites="Robbins 1952",
    tries=kcmab.Parameter(20, "pulls of each arm before the record decides", ge=1),
)
def choose(t, book, memory, params, rng):
    """Promotes an arm that was tried too little, else the arm with the best record."""
    for arm in range(len(book.pulls)):
        if book.pulls[arm] < params.tries:
            return arm
    return kcmab.leader(book, rng)


@kcmab.behaviour(
    "grumbling",
    memory={"value": "arms"},
    share=kcmab.Parameter(0.2, "of an offer that she counts as nothing", ge=0.0, le=1.0),
)
def take(t, book, board, memory, params, rng):
    """Takes the best deal, but an offer is worth less to her than what it costs."""
    memory.value[:] = book.means
    return kcmab.best_deal(memory.value, 1.0 - params.share, book, board, rng)


def scenario(title, replications, horizon, customers, margin):
    """Three controllers for four arms, these customers and this margin on every offer."""
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
    """Run three markets and print what they cost."""
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
