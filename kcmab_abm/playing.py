"""The command that plays one market, told in words or shown as an animation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kcmab_abm.errors import MarketError
from kcmab_abm.options import NumberRange, load_changed, with_option

if TYPE_CHECKING:
    from kcmab_abm.scenario import Scenario
    from kcmab_abm.trajectory import Trajectory
    from kcmab_abm.world import Choice

TOLD, SHOWN = 20, 500  # customers, unless given
SECONDS, FPS = 20, 10
MOST_SECONDS, MOST_FPS = 60, 30  # a GIF is put together in memory


@click.command()
@click.argument("file", type=str)
@click.option(
    "--customers", type=click.IntRange(1), help=f"{TOLD} unless given; {SHOWN} in an animation."
)
@click.option("--policy", help="Label or name of the policy; the first one unless given.")
@click.option("--replication", type=click.IntRange(0), default=0, show_default=True)
@click.option("--seed", type=click.IntRange(0), help="Instead of the file's.")
@click.option(
    "--animate",
    metavar="FILE.gif|FILE.mp4",
    type=click.Path(path_type=Path),
    help="Show the market as a moving picture instead.",
)
@click.option(
    "--seconds",
    type=NumberRange(1, MOST_SECONDS),
    help=f"How long the animation lasts; {SECONDS} unless given.",
)
@click.option(
    "--fps",
    type=click.IntRange(1, MOST_FPS),
    help=f"Pictures a second in the animation; {FPS} unless given.",
)
@click.option("--force", is_flag=True, help="Replace an animation that is already there.")
@with_option
def play(
    file: str,
    customers: int | None,
    policy: str | None,
    replication: int,
    seed: int | None,
    animate: Path | None,
    seconds: float | None,
    fps: int | None,
    force: bool,
) -> None:
    """Tell the story of one market, one line a customer, or show it as an animation.

    \b
    Example:
      kcmab play scenarios/figure1.toml --customers 20 --policy ucb
      kcmab play scenarios/figure1.toml --policy ucb --animate market.gif
    """
    for option, given in {"seconds": seconds, "fps": fps, "force": force or None}.items():
        if animate is None and given is not None:
            raise MarketError(f"--{option}: is for animations; give --animate FILE.gif too")
    horizon = customers or (TOLD if animate is None else SHOWN)
    scenario = load_changed(file, {"horizon": horizon, "seed": seed}, with_sweep=False)
    choice = scenario.policies[0] if policy is None else scenario.policy(policy)
    if animate is None:
        run = _tell(scenario, choice, replication)
    else:
        run = _show(scenario, choice, replication, animate, seconds or SECONDS, fps or FPS, force)
    click.echo(
        f"{len(run):,} customers: regret {run.regrets.sum():.3f}, "
        f"compensation {run.payments.sum():.3f}"
    )
    if animate is not None:
        click.echo(f"Written to {animate}.")


def _tell(scenario: Scenario, choice: Choice, replication: int) -> Trajectory:
    from kcmab_abm.market.run import run_market
    from kcmab_abm.market.story import Narrator

    arms = ", ".join(f"{place}: {arm.mean:.3g}" for place, arm in enumerate(scenario.market.arms))
    click.echo(f"The controller follows {choice.label!r}. True means (hidden): {arms}")
    return run_market(scenario, choice, replication, Narrator(click.echo))


def _show(
    scenario: Scenario,
    choice: Choice,
    replication: int,
    path: Path,
    seconds: float,
    fps: int,
    force: bool,
) -> Trajectory:
    from kcmab_abm.figures.animation import Picture, check_arms
    from kcmab_abm.figures.film import check_film, paced, write_film
    from kcmab_abm.folders import check_file, new_file
    from kcmab_abm.market.run import run_market
    from kcmab_abm.market.scenes import Witness
    from kcmab_abm.tables import progress_bar

    check_film(path)
    check_arms(len(scenario.market.arms))
    check_file(path, force)
    with progress_bar("customers served") as show:
        customers, frames = paced(scenario.horizon, seconds, fps)
        witness = Witness(customers.tolist())
        run = run_market(scenario, choice, replication, witness)
        regret = "regret" if scenario.market.is_steady else "dynamic regret"
        picture = Picture(witness.scenes, run, choice.label, regret)
        show(doing="pictures drawn")
        with new_file(path, force) as stage:
            write_film(stage, picture, frames, fps, show)
    return run
