"""The update rate of the lab's page: python -m bench.lab [--two] [--visitors 60].

Opens the page in a real browser (Debian's chromium), lets the paper's nine arms play at top speed
until 10 000 customers are on the curves, then at 100 a second, and counts the updates that the
browser has drawn. With --visitors, a crowd plays instead (`bench/crowd.py`).
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench.browser import find_browser

if TYPE_CHECKING:
    from playwright.sync_api import Page

CUSTOMERS = 10_000
SECONDS = 5.0
SCENARIO = """
horizon = 20_000
seed = 2018

[market]
arms = { law = "bernoulli", means = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1] }

[[policy]]
name = "ucb"
"""
SECOND = """
[[policy]]
name = "modified-ts"
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--two", action="store_true", help="two markets side by side")
    parser.add_argument("--browser", default=find_browser(), help="path of the browser")
    parser.add_argument("--visitors", type=int, default=0, help="how many come at once")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "nine-arms.toml"
        file.write_text(SCENARIO + SECOND * given.two)
        command = [sys.executable, "-m", "kcmab_abm", "lab", str(file), "--no-browser"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                address = address_of(server)
                if given.visitors:
                    from bench.crowd import crowd  # its libraries are not needed for --help

                    asyncio.run(crowd(address, given.browser, server.pid, given.visitors))
                else:
                    watch(address, given.browser, server.pid)
            finally:
                server.terminate()


def watch(address: str, program: str, server: int) -> None:
    from playwright.sync_api import sync_playwright  # likewise

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        report(browser.new_page(viewport={"width": 1280, "height": 800}), address, server)
        browser.close()


def address_of(server: subprocess.Popen[str]) -> str:
    """Wait for a line of the server's output."""
    assert server.stdout is not None
    for line in server.stdout:
        if found := re.search(r"http://\S+", line):
            return found[0]
    raise RuntimeError("the lab did not start")


def report(page: Page, address: str, server: int) -> None:
    page.goto(address)
    page.get_by_test_id("did-0").wait_for()
    page.keyboard.press("7")  # top speed
    drawn, begun = updates(page), time.perf_counter()
    page.keyboard.press("Space")
    page.wait_for_function(
        f"+document.querySelector('[data-testid=place]').dataset.value >= {CUSTOMERS}",
        timeout=300_000,
    )
    took = time.perf_counter() - begun
    on_the_way = (updates(page) - drawn) / took
    page.keyboard.press("5")  # a hundred a second
    rate, busy = going_on(page, server)
    markets = page.get_by_test_id("sees-1").count() + 1
    print(f"cores                                {os.cpu_count()}, load {os.getloadavg()[0]:.1f}")
    print(f"markets on the page                  {markets}")
    print(f"{CUSTOMERS:,} customers at top speed       {took:.1f} s")
    print(f"updates per second meanwhile         {on_the_way:.1f}")
    print(f"updates per second, {CUSTOMERS:,} shown   {rate:.1f}")
    print(f"share of a core used by the server   {busy:.0%}")


def going_on(page: Page, server: int) -> tuple[float, float]:
    """Updates per second and server load while the market runs."""
    drawn, begun, spent = updates(page), time.perf_counter(), seconds_of(server)
    page.wait_for_timeout(1000 * SECONDS)
    took = time.perf_counter() - begun
    return (updates(page) - drawn) / took, (seconds_of(server) - spent) / took


def seconds_of(process: int) -> float:
    """The processor time used by a process, on Linux."""
    user, system = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def updates(page: Page) -> int:
    return int(page.get_by_test_id("hub").get_attribute("data-updates") or 0)


if __name__ == "__main__":
    main()
