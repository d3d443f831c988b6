"""A class of phones on this machine: python -m bench.classroom [--phones 60] [--guests 300].

Starts `kcmab class`, lets websocket clients join, and has every guest choose as soon as her board
is there, which is far faster than any class: the rate is that of the server. One more client is
a student who only looks on.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import psutil
from websockets.asyncio.client import ClientConnection, connect

TOKEN = "the-token-of-a-measurement"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--phones", type=int, default=60)
    parser.add_argument("--guests", type=int, default=300)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "class"
        begin_in_advance(record, given.guests)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        command = [sys.executable, "-m", "kcmab_abm", "class", "--out", str(record)]
        command += ["--horizon", str(given.guests), "--seconds", "60", "--token", TOKEN]
        command += ["--host", "127.0.0.1", "--port", str(port), "--no-browser"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                asyncio.run(play(server, record, port, given.phones))
            finally:
                server.terminate()


def begin_in_advance(record: Path, guests: int) -> None:
    """A class whose guests may come as soon as phones are there."""
    from kcmab_abm.lab.model.classroom.journal import open_class
    from kcmab_abm.lab.model.classroom.market_of_class import default_scenario
    from kcmab_abm.lab.model.classroom.plan import Plan

    plan = Plan(default_scenario(guests, None), seconds=60.0)
    classroom, journal = open_class(record, lambda: plan)
    classroom.begin_guests("greedy")
    journal.close()


async def play(server: subprocess.Popen[str], record: Path, port: int, count: int) -> None:
    assert server.stdout is not None
    while "Phones go to" not in (line := server.stdout.readline()):
        if not line:
            raise RuntimeError("the class did not start")
    code = json.loads((record / "class.jsonl").read_text().splitlines()[0])["code"]
    taken: list[float] = []
    bytes_heard = [0]
    before = psutil.Process(server.pid).memory_info().rss
    begun = time.perf_counter()
    await asyncio.gather(
        *(phone(port, code, number, taken, bytes_heard) for number in range(count))
    )
    seconds = time.perf_counter() - begun
    after = psutil.Process(server.pid).memory_info().rss
    memory = f"{after / 1e6:.0f} MB, {before / 1e6:.0f} MB before"
    spread = np.quantile(np.array(taken), [0.5, 0.95])
    print(f"cores                                {os.cpu_count()}, load {os.getloadavg()[0]:.1f}")
    print(f"phones                               {count}")
    print(f"guests per second                    {len(taken) / seconds:.1f}")
    print(f"from tap to the answer on the phone  {spread[0]:.3f} s, 95 %: {spread[1]:.3f} s")
    print(f"sent to a phone per guest            {bytes_heard[0] / count / len(taken):.0f} bytes")
    print(f"memory of the server                 {memory}")


async def phone(port: int, code: str, number: int, taken: list[float], heard: list[int]) -> None:
    """A phone that takes the first restaurant at once, until the market is closed."""
    tapped, guest = 0.0, 0
    async for channel in connect(f"ws://127.0.0.1:{port}/phone", open_timeout=60):
        await hello(channel, code, number)
        async for text in channel:
            heard[0] += len(text)
            view = json.loads(text)
            if tapped and view.get("t") != guest:
                taken.append(time.perf_counter() - tapped)
                tapped = 0.0
            if view.get("over"):
                return
            if view.get("screen") == "choose" and not tapped:
                tapped, guest = time.perf_counter(), view["t"]
                told = {"do": "choose", "t": view["t"], "arm": view["arms"][0]["arm"]}
                await channel.send(json.dumps(told))


async def hello(channel: ClientConnection, code: str, number: int) -> None:
    await channel.send(json.dumps({"code": code, "key": f"{number:032d}"}))


if __name__ == "__main__":
    main()
