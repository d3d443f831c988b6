"""The same market under another controller.

Every arm is a tape that is revealed as it is pulled, so two controllers who pull an arm for the
k-th time see the same reward. The script finds a market in which greedy customers without offers
end on a wrong arm, and computes what it would have cost to prevent that.

    python scenarios/same_world.py --replications 200
"""

import argparse
from pathlib import Path

import kcmab_abm as kcmab

HERE = Path(__file__).parent


def main():
    """Find a market that locks in, replay it under the other controllers, print the first steps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replications", type=int, default=200)
    parser.add_argument("--horizon", type=int, default=2000)
    parser.add_argument("--engine", default="auto", choices=["auto", "market", "batch"])
    options = parser.parse_args()
    scenario = kcmab.load_scenario(HERE / "figure1.toml").replace(
        horizon=options.horizon,
        replications=options.replications,
        policy=[{"name": "greedy"}, {"name": "ucb"}, {"name": "modified-ts"}],
    )
    finals = kcmab.simulate(scenario, engine=options.engine).finals().query("policy == 'greedy'")
    print(f"{finals.locked_in.mean():.0%} of {len(finals)} markets lock in without offers")
    if not finals.locked_in.any():
        print("none locks in; use more replications")
        return
    replication = int(finals[finals.locked_in].replication.iloc[0])
    runs = {
        choice.label: kcmab.play(scenario, choice.label, replication, options.engine)
        for choice in scenario.policies
    }
    print(f"market {replication}, the first customers after every arm was tried once:")
    first = len(scenario.market.arms)
    for label, run in runs.items():
        arms = " ".join(map(str, run.arms[first : first + 25]))
        print(f"{label:>12}: {arms} ...")
    for label, run in runs.items():
        last = run.arms[-100:]
        print(
            f"{label:>12}: regret {run.regrets.sum():8.2f}, paid {run.payments.sum():7.2f}, "
            f"the last hundred on arm {max(set(last.tolist()), key=last.tolist().count)}"
        )


if __name__ == "__main__":
    main()
