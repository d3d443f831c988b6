"""The command `kcmab play`: one market, told in words or shown as an animation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kcmab_abm.cli.options import (
    NumberRange,
    force_option,
    horizon_option,
    load_changed,
    option,
    policy_option,
    seed_option,
    with_option,
)
from kcmab_abm.errors import MarketError

if TYPE_CHECKING:
    from kcmab_abm.model.trajectory import Trajectory
    from kcmab_abm.scenario.scenario import Scenario
    from kcmab_abm.scenario.world import Choice

TOLD, ANIMATED = 20, 500  # customers shown by default
SECONDS, FPS = 20, 10
MOST_SECONDS, MOST_FPS = 60, 30  # a GIF is put together in memory


@click.command()
@click.argument("file", type=str)
@option(
    "--customers",
    click.IntRange(1),
    f"Show this many customers (default: {TOLD}; {ANIMATED} in an animation).",
)
@policy_option
@option("--replication", click.IntRange(0), "Number of the replication to show, counted from 0.", 0)
@horizon_option
@seed_option
@click.option(
    "--animate",
    metavar="FILE.gif|FILE.mp4",
    type=click.Path(path_type=Path),
    help="Write an animation to this file instead.",
)
@option("--seconds", NumberRange(1, MOST_SECONDS), f"Length of the animation (default: {SECONDS}).")
@option(
    "--fps", click.IntRange(1, MOST_FPS), f"Frames per second of the animation (default: {FPS})."
)
@force_option
@with_option
def play(
    file: str,
    customers: int | None,
    policy: str | None,
    replication: int,
    horizon: int | None,
    seed: int | None,
    animate: Path | None,
    seconds: float | None,
    fps: int | None,
    force: bool,
) -> None:
    """Show one market, customer by customer.

    Print one line per customer, or write an animation.

    \b
    Example:
      kcmab play scenarios/figure1.toml --customers 20 --policy ucb
      kcmab play scenarios/figure1.toml --policy ucb --animate market.gif
    """
    for word, given in {"seconds": seconds, "fps": fps, "force": force or None}.items():
        if animate is None and given is not None:
            raise MarketError(f"--{word}: is for animations; give --animate FILE.gif too")
    scenario = load_changed(file, {"horizon": horizon, "seed": seed}, with_sweep=False)
    choice = scenario.policies[0] if policy is None else scenario.policy(policy)
    shown = min(customers or (TOLD if animate is None else ANIMATED), scenario.horizon)
    if animate is None:
        run = _tell(scenario, choice, replication, shown)
    else:
        film = (animate, seconds or SECONDS, fps or FPS, force)
        run = _animate(scenario, choice, replication, shown, *film)
    click.echo(
        f"{len(run):,} customers: regret {run.regrets.sum():.3f}, "
        f"compensation {run.payments.sum():.3f}"
    )
    if animate is not None:
        click.echo(f"Written to {animate}.")


def _tell(scenario: Scenario, choice: Choice, replication: int, shown: int) -> Trajectory:
    from kcmab_abm.market.narrator import Narrator
    from kcmab_abm.market.run import run_market

    market = scenario.drawn(replication).market
    arms = ", ".join(f"{place}: {arm.mean:.3g}" for place, arm in enumerate(market.arms))
    click.echo(f"The controller follows {choice.label!r}. True means (hidden): {arms}")
    return run_market(scenario, choice, replication, Narrator(click.echo), shown)


def _animate(
    scenario: Scenario,
    choice: Choice,
    replication: int,
    shown: int,
    path: Path,
    seconds: float,
    fps: int,
    force: bool,
) -> Trajectory:
    from kcmab_abm.figures.animation import Picture, check_arms
    from kcmab_abm.figures.film import check_film, paced, write_film
    from kcmab_abm.market.run import run_market
    from kcmab_abm.market.scenes import SceneRecorder
    from kcmab_abm.running.progress import progress_bar
    from kcmab_abm.running.results_folder import check_file, new_file

    check_film(path)
    check_arms(len(scenario.market.arms))
    check_file(path, force)
    with progress_bar("customers served") as show:
        customers, frames = paced(shown, seconds, fps)
        recorder = SceneRecorder(customers.tolist())
        run = run_market(scenario, choice, replication, recorder, shown)
        regret = "regret" if scenario.market.is_steady else "dynamic regret"
        picture = Picture(recorder.scenes, run, choice.label, regret)
        show(doing="pictures drawn")
        with new_file(path, force) as stage:
            write_film(stage, picture, frames, fps, show)
    return run
