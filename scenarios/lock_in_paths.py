"""The first choices that lead a market to a wrong arm.

Greedy customers without offers choose between four arms. The script records how a thousand markets
begin, prints the beginnings that most often end on a wrong arm, and exports the tree as a graph.

    python scenarios/lock_in_paths.py --replications 1000 --out lock-in
"""

import argparse
from pathlib import Path

import kcmab_abm as kcmab
from kcmab_abm import paths


def main():
    """Record the prefix tree of the markets and print its most informative paths."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replications", type=int, default=1000)
    parser.add_argument("--horizon", type=int, default=2000)
    parser.add_argument("--out", type=Path, help="folder for tree.graphml and tree.json")
    parser.add_argument("--engine", default="auto", choices=["auto", "market", "batch"])
    options = parser.parse_args()
    scenario = kcmab.make_scenario(
        {
            "horizon": options.horizon,
            "replications": options.replications,
            "seed": 23,
            "market": {"arms": {"law": "bernoulli", "means": [0.8, 0.7, 0.5, 0.3]}},
            "policy": [{"name": "greedy"}],
        }
    )
    tree = paths.prefix_tree(scenario, depth=3, share=0.01, engine=options.engine)
    print("most frequent beginnings, after every arm was tried once")
    print(paths.travelled(tree).round(3).to_string(index=False))
    print("beginnings that most often end on a wrong arm")
    print(paths.locking(tree, by="share").round(3).to_string(index=False))
    if options.out is not None:
        options.out.mkdir(parents=True, exist_ok=True)
        paths.write_graph(tree, options.out, "tree")


if __name__ == "__main__":
    main()
