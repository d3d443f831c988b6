"""A real Dask cluster gives what one machine gives, whatever happens to it."""

from __future__ import annotations

import os
import socket
import sys
from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import pytest
from distributed import Client, KilledWorker

from kcmab_abm import make_scenario, simulate
from kcmab_abm.catalogue import user_files as plugins
from kcmab_abm.cli.main import BAD_INPUT, FAILED, run
from kcmab_abm.errors import MarketError, WorkerError
from kcmab_abm.running import dask_cluster as clusters
from tests.cluster.test_processes import (
    GATED,
    MARKET,
    MINE,
    MY_CUSTOMER,
    MY_RULE,
    digest_of,
    written,
)
from tests.processes import PATIENCE, interrupt, wait_until

UCB = MARKET + '\n[[policy]]\nname = "ucb"\n'
SWEPT = UCB + '\n[sweep]\ngrid = { "market.seeding_cost" = [0.0, 0.5] }\n'
MY_MEASURE = """
from kcmab_abm import Parameter, measure


@measure("my-measure", least=Parameter(0.5, "least reward that counts"))
def count(reward, params):
    '''Counts high rewards.'''
    return 1.0 if reward >= params.least else 0.0
"""
MEASURED = f"""{UCB}
[measures]
paid = {{ measure = "paid-share" }}
high = {{ measure = "my-measure", least = 0.9 }}
"""
PRECISE = f"""precision = {{ measure = "high", half_width = 1.0 }}
{MEASURED.replace("replications = 20", "replications = 100")}
[[policy]]
name = "greedy"

[sweep]
grid = {{ "measures.high.least" = [0.5, 0.9] }}
"""
RECORDED = 'record = "paths"\n' + UCB


@pytest.fixture(scope="module")
def client(cluster):
    """A client to look at the cluster with."""
    with Client(cluster.address, set_as_default=False) as client:
        client.wait_for_workers(2, PATIENCE)
        yield client


def gated_scenario():
    """A scenario of sixteen chunks that wait at the gate."""
    market = {"arms": {"law": "bernoulli", "means": [0.9, 0.1]}}
    return make_scenario(
        {"horizon": 30, "replications": 16, "market": market, "policy": [{"name": "gated"}]}
    )


def in_both_places(text, address, folder, *options):
    """Run a scenario file here and on the cluster; the two folders."""
    file = written(folder / "scenario.toml", text)
    places = {"here": [], "there": ["--dask", address]}
    for name, where in places.items():
        assert run(["run", file, *options, *where, "--out", str(folder / name)]) == 0
    return [folder / name for name in places]


def complaint(arguments, capsys, code=BAD_INPUT):
    """The one line that a command ends with."""
    assert run([str(each) for each in arguments]) == code
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.count("\n") == 1
    return output.err


def test_the_cluster_gives_what_one_machine_gives(cluster):
    """Both engines have one digest on the cluster and here, and progress is told."""
    market = {"arms": {"law": "bernoulli", "means": [0.9, 0.1]}}
    policies = [{"name": "ucb"}, {"name": "greedy"}]
    scenario = make_scenario(
        {"horizon": 50, "replications": 33, "market": market, "policy": policies}
    )
    here = simulate(scenario).digest()
    seen = []
    with clusters.cluster(cluster.address) as executor:
        for engine in ("market", "batch"):
            seen.clear()
            there = simulate(
                scenario,
                engine=engine,
                executor=executor,
                progress=lambda *where: seen.append(where),
            )
            assert there.digest() == here
            assert seen == sorted(seen)
            assert seen[-1] == (3300, 3300)


@pytest.mark.parametrize("text", [UCB, SWEPT], ids=["run", "sweep"])
def test_the_command_gives_what_one_machine_gives(text, cluster, tmp_path):
    """`kcmab run --dask` writes the results that `kcmab run` writes."""
    here, there = in_both_places(text, cluster.address, tmp_path)
    assert digest_of(here) == digest_of(there)


def test_ledgers_come_back_from_the_cluster(cluster, tmp_path):
    """What is recorded on the cluster is written here, byte for byte the same."""
    here, there = in_both_places(RECORDED, str(cluster.file), tmp_path)
    ledgers = [
        {
            path.relative_to(folder): path.read_bytes()
            for path in folder.rglob("ledger/**/*.parquet")
        }
        for folder in (here, there)
    ]
    assert len(ledgers[0]) == 10
    assert ledgers[0] == ledgers[1]


@pytest.mark.usefixtures("_own_files")
@pytest.mark.parametrize("engine", ["market", "batch"])
def test_users_functions_get_to_the_cluster(engine, cluster, tmp_path):
    """What comes by `--with`, from several files, is known to the workers."""
    files = {"rule.py": MY_RULE, "customer.py": MY_CUSTOMER}
    brought = [
        word for name, text in files.items() for word in ("--with", written(tmp_path / name, text))
    ]
    here, there = in_both_places(MINE, cluster.address, tmp_path, "--engine", engine, *brought)
    assert digest_of(here) == digest_of(there)


@pytest.mark.usefixtures("_own_files")
@pytest.mark.parametrize("engine", ["market", "batch"])
def test_a_measure_of_the_users_gets_to_the_cluster(engine, cluster, tmp_path):
    """What it counts there is what it counts here, and it is in the tables."""
    brought = ["--with", written(tmp_path / "measure.py", MY_MEASURE), "--engine", engine]
    here, there = in_both_places(MEASURED, cluster.address, tmp_path, *brought)
    assert digest_of(here) == digest_of(there)
    tables = [pd.read_csv(folder / "summary.csv") for folder in (here, there)]
    pd.testing.assert_frame_equal(*tables)
    assert tables[0]["high"].between(1.0, 39.0).all()


@pytest.mark.usefixtures("_own_files")
def test_a_measure_of_the_users_stops_a_sweep_on_the_cluster(cluster, tmp_path):
    """As many replications as here, and the same columns, intervals and differences."""
    brought = ["--with", written(tmp_path / "measure.py", MY_MEASURE), "--engine", "market"]
    here, there = in_both_places(PRECISE, cluster.address, tmp_path, *brought)
    assert digest_of(here) == digest_of(there)
    for name in ("sweep.csv", "paired.csv"):
        tables = [pd.read_csv(folder / name) for folder in (here, there)]
        pd.testing.assert_frame_equal(*tables)
    sweep = pd.read_csv(there / "sweep.csv")
    assert {"high", "high_low", "high_high", "paid"} <= set(sweep)
    assert "high" in set(pd.read_csv(there / "paired.csv")["measure"])
    assert len(pd.read_parquet(there / "finals.parquet")) > 4 * 100  # stopped later


@pytest.mark.usefixtures("_own_files")
def test_a_file_that_was_changed_is_run_again(cluster, tmp_path):
    """Workers that know an earlier version of the user's file do not use it any more."""
    digests = []
    for stride in ("1", "2"):
        folder = tmp_path / stride
        folder.mkdir()
        rule = written(tmp_path / "rule.py", MY_RULE.replace("STRIDE = 2", f"STRIDE = {stride}"))
        options = ["--engine", "market", "--with", rule]
        text = MARKET + '\n[[policy]]\nname = "my-rule"\n'
        here, there = in_both_places(text, cluster.address, folder, *options)
        assert digest_of(here) == digest_of(there)
        digests.append(digest_of(here))
    assert digests[0] != digests[1]


@pytest.mark.usefixtures("_own_files")
def test_a_broken_rule_is_told_as_here(cluster, tmp_path, capsys):
    """A policy that breaks the rules on a worker ends the run as it would here."""
    rule = written(tmp_path / "rule.py", MY_RULE.replace("(STRIDE * t) % len(book.means)", "9"))
    file = written(tmp_path / "mine.toml", MARKET + '\n[[policy]]\nname = "my-rule"\n')
    options = ["--with", rule, "--engine", "market", "--dask", cluster.address]
    error = complaint(["run", file, *options], capsys, FAILED)
    assert error == "policy 'my-rule' chose arm 9 for customer 4 of replication 0; arms are 0..2\n"


@pytest.mark.usefixtures("_own_files")
def test_a_worker_that_is_killed_is_replaced(cluster, client, gate):
    """Chunks that a worker had begun when it was killed are run by the others."""
    plugins.bring([str(gate.plugin)])
    scenario = gated_scenario()
    here = simulate(scenario, engine="market").digest()
    victim = cluster.start_worker()
    client.wait_for_workers(3, PATIENCE)
    gate.shut()
    with clusters.cluster(cluster.address) as executor, ThreadPoolExecutor(1) as thread:
        there = thread.submit(simulate, scenario, engine="market", executor=executor)
        try:
            wait_until(lambda: gate.has_begun(victim))
            victim.kill()
            victim.wait()
        finally:
            gate.open()
        assert there.result(PATIENCE).digest() == here
    assert len(client.nthreads()) == 2


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT to send")
def test_interrupt_leaves_the_cluster_quietly(cluster, client, gate, tmp_path):
    """Ctrl-C ends the run with one line, and the cluster has nothing more to do for it."""
    gate.shut()
    file = written(tmp_path / "gated.toml", GATED)
    command = ["run", file, "--with", str(gate.plugin), "--engine", "market"]
    output = interrupt(
        [*command, "--dask", cluster.address],
        lambda _: wait_until(lambda: list(tmp_path.glob("begun-*"))),
    )
    assert output == ""
    gate.open()
    wait_until(lambda: not any(client.processing().values()))
    assert len(list(tmp_path.glob("begun-*"))) <= 2


def compute(address, tell=lambda _: None, before=lambda: None):
    """Let a worker compute something, after something else has happened to the cluster."""
    with clusters.cluster(address, tell) as executor:
        before()
        return executor.submit(abs, -1).result(PATIENCE)


def test_a_lonely_scheduler_is_waited_with_and_a_lost_one_told_of(lonely_scheduler):
    """Without workers there is a message, and work waits; without a scheduler there is an end."""
    told = []

    def tell(message):
        told.append(message)
        lonely_scheduler.start_worker()

    address = lonely_scheduler.address
    assert compute(address, tell) == 1
    assert told == [f"{address}: no workers yet; the work waits for them"]
    with pytest.raises(WorkerError, match=r"lost the scheduler; .* continue with --resume"):
        compute(address, before=lonely_scheduler.scheduler.kill)


def become(name, value):
    """Let a worker be made of something else; it runs there."""
    clusters.makings()[name] = value


@pytest.mark.parametrize("name", ["numpy", "code of kcmab-abm"])
@pytest.mark.parametrize("late", [False, True], ids=["at once", "when it joins later"])
def test_workers_made_of_something_else_are_refused(name, late, cluster, client):
    """A worker with another version is named, and what to do, before it computes anything."""
    mine = clusters.makings()[name]
    try:
        if not late:
            client.run(become, name, "old")
        with pytest.raises(WorkerError) as caught:
            compute(cluster.address, before=lambda: client.run(become, name, "old"))
    finally:
        client.run(become, name, mine)
    words = str(caught.value)
    assert words.split(": has ")[0].removeprefix("worker ") in client.nthreads()
    assert f": has {name} old instead of {mine} as here, so results could differ; " in words


def test_workers_without_the_package_are_refused(cluster, monkeypatch):
    """A worker that cannot even say what it is made of is named as well."""
    monkeypatch.setattr(clusters, "makings", print_nothing)
    with (
        pytest.raises(WorkerError, match=r"worker tcp://\S+: has no kcmab-abm like the one here"),
        clusters.cluster(cluster.address),
    ):
        pass


def print_nothing():
    """What fails on a worker as an import would."""
    raise ModuleNotFoundError("No module named 'kcmab_abm'")


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        ("nonsense", "not an address (missing port number in address 'nonsense')"),
        ("tcp://127.0.0.1", "not an address (missing port number in address '127.0.0.1')"),
        ("post://127.0.0.1:8786", "not an address (unknown address scheme 'post'"),
        ("127.0.0.1:NOBODY", "no scheduler answers there within 0.5 seconds"),
        ("127.0.0.1:MUTE", "no scheduler answers there within 0.5 seconds"),
        ("WORKER", "a Worker answers there"),
        ("none.json", "cannot be read: No such file or directory"),
        ("FOLDER/empty.json", "not a scheduler file"),
    ],
)
def test_addresses_at_which_there_is_no_scheduler(
    address, problem, client, tmp_path, capsys, monkeypatch
):
    """Who is not there, is mute or is somebody else is told of in one line, with exit code 2."""
    monkeypatch.setattr(clusters, "PATIENCE", 0.5)
    file = written(tmp_path / "ucb.toml", UCB)
    (tmp_path / "empty.json").write_text("{}")
    with socket.create_server(("127.0.0.1", 0)) as mute, socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # taken, and nobody listens
        names = {
            "MUTE": str(mute.getsockname()[1]),
            "NOBODY": str(nobody.getsockname()[1]),
            "WORKER": min(client.nthreads()),
            "FOLDER": str(tmp_path),
        }
        for name, meaning in names.items():
            address = address.replace(name, meaning)
        error = complaint(["run", file, "--dask", address], capsys)
    assert error.startswith(f"--dask {address}: {problem}")
    assert "; give the " in error


def test_the_package_may_be_missing(tmp_path, capsys, monkeypatch):
    """Without Dask the option says what to install."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    file = written(tmp_path / "ucb.toml", UCB)
    error = complaint(["run", file, "--dask", "127.0.0.1:8786"], capsys)
    assert error.endswith('pip install "kcmab-abm[cluster]"\n')


def test_jobs_and_a_cluster_exclude_each_other(tmp_path, capsys):
    """`--jobs` has no meaning on a cluster, and is refused."""
    file = written(tmp_path / "ucb.toml", UCB)
    error = complaint(["run", file, "--jobs", 2, "--dask", "127.0.0.1:8786"], capsys)
    assert error.startswith("--jobs: sets the workers of this machine")


def test_a_chunk_that_kills_its_workers_is_told_of(cluster):
    """When Dask gives up on a chunk, the error says why that happens and what to do."""
    with (
        pytest.raises(WorkerError, match=r"one chunk was on 4 workers when they died, .* memory"),
        clusters.cluster(cluster.address),
    ):
        raise KilledWorker("chunk", None, 3)


def test_other_errors_pass(cluster):
    """What is not about the cluster is left as it is."""
    with pytest.raises(MarketError, match=r"^mine$"), clusters.cluster(cluster.address):
        raise MarketError("mine")


@pytest.mark.usefixtures("_own_files")
def test_neighbours_of_a_file_travel_to_workers(cluster, tmp_path):
    """What a file of --with imports from beside it is sent along, and again when it has changed."""
    folder = tmp_path / "users"
    folder.mkdir()
    rule = written(folder / "rule.py", MY_RULE.replace("STRIDE = 2", "from pace import STRIDE"))
    text = MARKET + '\n[[policy]]\nname = "my-rule"\n'
    digests = []
    for stride in ("1", "2"):
        (tmp_path / stride).mkdir()
        written(folder / "pace.py", f"STRIDE = {stride}\n")
        options = ["--engine", "market", "--with", rule]
        here, there = in_both_places(text, cluster.address, tmp_path / stride, *options)
        assert digest_of(here) == digest_of(there)
        digests.append(digest_of(here))
    assert digests[0] != digests[1]
