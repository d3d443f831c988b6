"""Functions of a notebook's cells get to other processes, in both engines."""

from __future__ import annotations

import nbformat
from nbclient import NotebookClient

from .executed import LONGEST

CELLS = [
    """
import kcmab_abm as kcmab

bonus = 0.1
""",
    """
@kcmab.policy("from-a-cell", tries=kcmab.Parameter(2, "pulls of each arm at first", ge=1))
def choose(book, params, rng):
    '''Promotes arms with few pulls, then the leader.'''
    for arm in range(len(book.pulls)):
        if book.pulls[arm] < params.tries:
            return arm
    return kcmab.leader(book, rng)


@kcmab.behaviour("eager", memory={"value": "arms"})
def take(book, board, memory, rng):
    '''Takes the best deal, and likes money more than others do.'''
    memory.value[:] = book.means
    return kcmab.best_deal(memory.value, 1.0 + bonus, book, board, rng)
""",
    """
settings = {
    "horizon": 30,
    "replications": 12,
    "market": {
        "arms": {"law": "bernoulli", "means": [0.7, 0.3]}, "customers": {"behaviour": "eager"}
    },
    "policy": [{"name": "from-a-cell"}],
}
scenario = kcmab.make_scenario(settings)
for engine in ("market", "batch"):
    for jobs in (1, 2):
        results = kcmab.simulate(scenario, engine=engine, jobs=jobs, progress=True)
        print(engine, results.engine, jobs, results.digest()[:16])
""",
]


def test_cells_of_a_notebook_run_in_other_processes(tmp_path):
    """One, two processes and the compiled engine give the same; a bar is shown and then removed."""
    cells = [nbformat.v4.new_code_cell(cell) for cell in CELLS]
    notebook = nbformat.v4.new_notebook(cells=cells)
    client = NotebookClient(
        notebook,
        timeout=LONGEST,
        kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path)}},
    )
    client.execute()
    outputs = notebook.cells[-1].outputs
    assert not any(each.get("name") == "stderr" for each in outputs), outputs
    told = "".join(each.text for each in outputs if each.output_type == "stream")
    rows = [line.split() for line in told.splitlines()]
    assert [row[:3] for row in rows] == [
        [engine, engine, jobs] for engine in ("market", "batch") for jobs in ("1", "2")
    ]
    assert len({row[3] for row in rows}) == 1
    bars = [each for each in outputs if each.output_type == "display_data"]
    assert len(bars) == 4
    assert all("progress" not in bar.data["text/html"] for bar in bars)
