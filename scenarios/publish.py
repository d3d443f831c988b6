"""From a study to a paper: a sweep is killed, resumed, compared at every point, drawn and printed.

The study is `noise-and-arms.toml`: four policies, five levels of noise, three markets, and as many
replications as its precision needs. What a journal and a talk need of it is written to a folder.

    python scenarios/publish.py --out paper
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

import kcmab_abm as kcmab

FILE = Path(__file__).parent / "noise-and-arms.toml"


def killed(command, study):
    """Run a command until the study has a finished chunk; kill it then, as a power cut would."""
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    partial = study.with_name(f"{study.name}.partial")
    while run.poll() is None and not any(partial.rglob("*.npz")):
        time.sleep(0.01)
    run.kill()
    run.wait()
    return partial.exists()


def main():
    """Run the study, and write figures and a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("paper"), help="a new folder")
    parser.add_argument("--horizon", type=int, default=1000)
    parser.add_argument("--engine", default="auto")
    options = parser.parse_args()
    out, study = options.out, options.out / "study"

    command = [sys.executable, "-m", "kcmab_abm", "run", str(FILE), "--out", str(study)]
    command += ["--horizon", str(options.horizon), "--engine", options.engine]
    print("killed with work left" if killed(command, study) else "finished before it was killed")
    scenario = kcmab.load_scenario(FILE).replace(horizon=options.horizon)
    kcmab.run(scenario, study, resume=True, report=True, engine=options.engine)

    results = kcmab.load_results(study)  # verified by its digest, now or months later
    pairs = results.paired("modified-ts", "greedy").query("measure == 'regret'")
    print(pairs.drop(columns=["policy", "other", "measure"]).round(2).to_string(index=False))

    results.figure(width="column", across="tau").savefig(out / "noise.pdf")
    results.frontier(width="page", by="arms", at={"tau": 0.05}).savefig(out / "frontier.pdf")
    results.figure(style="slides", measures=["regret"]).savefig(out / "slide.png")
    results.point({"tau": 0.05, "arms": "9 arms"}).figure().savefig(out / "point.svg")
    table = results.latex(columns=["arms", "tau", "policy", "regret", "compensation"])
    (out / "table.tex").write_text(table, encoding="utf-8")
    print(f"digest {results.digest()[:16]}; written to {out}")


if __name__ == "__main__":
    main()
