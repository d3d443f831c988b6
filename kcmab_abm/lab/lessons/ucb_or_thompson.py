"""Lesson 4: two ways to decide what is worth a payment."""

from __future__ import annotations

import math

from kcmab_abm.experiment import play, simulate
from kcmab_abm.lab.desk import Desk
from kcmab_abm.lab.lessons.lesson import (
    ChoiceQuestion,
    Facts,
    Lesson,
    NumberQuestion,
    Slip,
    Step,
)
from kcmab_abm.lab.lessons.scene import bound_of, run_of, sight_at, world

SEED = 3  # the best arm's first reward is 0; at customer 9 UCB pays for an arm that is behind
RUNS = 400
SHORT_RUNS = 400

MARKET = world("UCB against Thompson", [0.8, 0.6, 0.4], ["ucb", "ts"], seed=SEED, horizon=500)
UCB = Desk(MARKET, left=0, shown=8)
THOMPSON = Desk(MARKET, left=1, shown=8)
SEEDED = Desk(MARKET, right=1, shown=3)
BOTH = Desk(MARKET, right=1, shown=MARKET.horizon, revealed=True)


def bound(desk: Desk) -> Facts:
    """The upper confidence bound of the arm that is promoted."""
    sight, customer = sight_at(desk), desk.shown + 1
    arm = sight.target
    record, pulls = float(sight.means[arm]), int(sight.pulls[arm])
    bounds = [bound_of(sight, each, customer) for each in range(len(sight.means))]
    return {
        "answer": bounds[arm],
        "arm": arm,
        "customer": customer,
        "record": record,
        "pulls": pulls,
        "bonus": bounds[arm] - record,
        "rootless": record + 2.0 * math.log(customer) / pulls,
        "others": " and ".join(f"{b:.2f}" for each, b in enumerate(bounds) if each != arm),
        "offer": float(sight.offers[arm]),
    }


def posterior(desk: Desk) -> Facts:
    """What Thompson's samples of arm 0 are on average."""
    sight = sight_at(desk)
    pulls, record = int(sight.pulls[0]), float(sight.means[0])
    ones = round(pulls * record)
    return {
        "answer": (ones + 1) / (pulls + 2),
        "ones": ones,
        "alpha": ones + 1,
        "beta": pulls - ones + 1,
        "alpha_beta": pulls + 2,
        "pulls": pulls,
        "record": record,
        "customer": desk.shown + 1,
    }


def same_board(desk: Desk) -> Facts:
    """The records that both customers 4 see, and who leads."""
    records = [float(mean) for mean in sight_at(desk).means]
    return {
        "customer": desk.shown + 1,
        "records": ", ".join(f"{record:.0f}" for record in records),
        "leader": records.index(max(records)),
    }


def who_is_certain(desk: Desk) -> Facts:
    """What both promote to customer 4 in markets that began with the same rewards."""
    short = desk.scenario.replace(horizon=desk.shown + 1)
    seen = run_of(desk).rewards[: desk.shown].tolist()
    promoted: dict[str, list[int]] = {"ucb": [], "ts": []}
    for replication in range(SHORT_RUNS):
        sampled = play(short, "ts", replication, engine="market")
        if sampled.rewards[: desk.shown].tolist() == seen:
            computed = play(short, "ucb", replication, engine="market")
            promoted["ts"].append(int(sampled.targets[-1]))
            promoted["ucb"].append(int(computed.targets[-1]))
    unsure = [label for label, targets in promoted.items() if len(set(targets)) > 1]
    return {
        "answer": {0: "neither", 1: "".join(unsure), 2: "both"}[len(unsure)],
        "same": len(promoted["ts"]),
        "leading": promoted["ts"].count(same_board(desk)["leader"]),
    }


def bills(desk: Desk) -> Facts:
    """What both have paid in the market on screen."""
    ucb, thompson = run_of(desk, 0), run_of(desk, 1)
    paid, other = float(ucb.payments.sum()), float(thompson.payments.sum())
    regret, other_regret = float(ucb.regrets.sum()), float(thompson.regrets.sum())
    return {
        "answer": paid / other,
        "upside_down": other / paid,
        "regrets": regret / other_regret,
        "difference": paid - other,
        "paid": paid,
        "other": other,
        "count": int((ucb.payments > 0.0).sum()),
        "other_count": int((thompson.payments > 0.0).sum()),
        "customers": len(ucb),
    }


def size(desk: Desk) -> Facts:
    """How many markets are run, and how long each is."""
    return {"runs": RUNS, "customers": desk.scenario.horizon}


def on_average(desk: Desk) -> Facts:
    """Who loses less and who pays less over many markets."""
    table = simulate(desk.scenario.replace(replications=RUNS)).summary().set_index("policy")
    less = table[["regret", "compensation"]].astype(float).idxmin()
    both = less["regret"] == less["compensation"]
    return {
        "answer": less["regret"] if both else "split",
        "ucb_regret": float(table["regret"]["ucb"]),
        "ts_regret": float(table["regret"]["ts"]),
        "ucb_paid": float(table["compensation"]["ucb"]),
        "ts_paid": float(table["compensation"]["ts"]),
    }


LESSON = Lesson(
    number=4,
    title="UCB against Thompson",
    opening=(
        "You will see two controllers decide which arm is worth a payment. UCB computes how good "
        "an arm could still be; Thompson sampling draws how good it may be. You will compute one "
        "number of each, and then compare their bills."
    ),
    steps=(
        Step(
            title="An upper confidence bound",
            text=(
                "UCB promotes the arm with the highest m + √(2 ln t / n): its record, and a bonus "
                "that grows with the customer's number t and falls with the number n of reports. "
                "Customer t = {customer} stands before the board. Arm {arm} has a record of "
                "{record:.2f} from {pulls} reports."
            ),
            desk=UCB,
            question=NumberQuestion(
                "What is the upper confidence bound of arm {arm}?",
                "Put m = {record:.2f}, t = {customer} and n = {pulls} into m + √(2 ln t / n).",
                (
                    Slip("bonus", "That is the bonus. Add the record."),
                    Slip("rootless", "The bonus is a square root."),
                ),
                tolerance=0.01,
            ),
            explanation=(
                "{record:.2f} + {bonus:.2f} = {answer:.2f}. The other two have {others}, so UCB "
                "promotes arm {arm} and offers {offer:.2f} for it. With the same board it would "
                "always do so."
            ),
            find=bound,
        ),
        Step(
            title="A posterior",
            text=(
                "Thompson sampling begins with “anything may be”, Beta(1, 1), and counts: after a "
                "ones and b zeros the mean of an arm has the law Beta(1 + a, 1 + b). For every "
                "customer it draws a number from the law of each arm and promotes the arm with the "
                "highest. Among the {pulls} rewards of arm 0 there are {ones} ones."
            ),
            desk=THOMPSON,
            question=NumberQuestion(
                "What are the numbers drawn for arm 0 on average?",
                "Beta(α, β) has the mean α / (α + β).",
                (
                    Slip(
                        "record",
                        "That is the record. The law starts from Beta(1, 1): one more "
                        "one, and one more zero.",
                    ),
                ),
            ),
            explanation=(
                "Beta({alpha}, {beta}) has the mean {alpha} / {alpha_beta} = {answer:.2f}, nearer "
                "to one half than the record {record:.2f}. Single draws are spread around it, less "
                "and less as reports come in."
            ),
            find=posterior,
        ),
        Step(
            title="The same board twice",
            text=(
                "Customer {customer} comes to both controllers. On both boards the records are "
                "{records}. Imagine that this very board comes again in another market."
            ),
            desk=SEEDED,
            question=ChoiceQuestion(
                "Who may promote another arm then?",
                "One of them computes, the other one draws.",
                (
                    Slip("ucb", "UCB only computes: the same records give the same bounds."),
                    Slip("both", "UCB only computes: the same records give the same bounds."),
                    Slip("neither", "One of the two draws random numbers."),
                ),
                options={
                    "ucb": "UCB only",
                    "ts": "Thompson only",
                    "both": "both of them",
                    "neither": "neither of them",
                },
            ),
            explanation=(
                "In {same} markets that began with these rewards UCB promoted arm {leader} every "
                "time, Thompson sampling {leading} times. It explores by chance: arms that are "
                "probably bad are tried rarely, but never ruled out."
            ),
            find=same_board,
            survey=who_is_certain,
        ),
        Step(
            title="Two bills",
            text=(
                "The same tapes, {customers} customers later: UCB on the left, Thompson sampling "
                "on the right, with their accounts."
            ),
            desk=BOTH,
            question=NumberQuestion(
                "How many times as much compensation has UCB paid?",
                "Divide the compensation on the left by that on the right.",
                (
                    Slip("upside_down", "The other way round: left by right."),
                    Slip("regrets", "That is the quotient of the regrets."),
                    Slip("difference", "That is the difference. How many times as much?"),
                ),
                tolerance=0.1,
                places=1,
            ),
            explanation=(
                "{paid:.1f} / {other:.1f} = {answer:.1f}. UCB has paid {count} customers, Thompson "
                "sampling {other_count}."
            ),
            find=bills,
            totals=True,
        ),
        Step(
            title="One market proves little",
            text=(
                "So the page has run {runs} markets like this one, {customers} customers each, "
                "with both controllers on the same tapes."
            ),
            desk=BOTH,
            question=ChoiceQuestion(
                "On average over these markets, who has less regret, and who less compensation?",
                "Was the market before this one an exception, do you think?",
                (
                    Slip(
                        "ucb",
                        "It would be odd if so many markets said the opposite of the one "
                        "on screen.",
                    ),
                    Slip("split", "There is no need to buy one with the other here."),
                ),
                options={
                    "ucb": "UCB has less of both",
                    "ts": "Thompson has less of both",
                    "split": "one has less regret, the other less compensation",
                },
            ),
            explanation=(
                "UCB: regret {ucb_regret:.1f}, compensation {ucb_paid:.1f}. Thompson sampling: "
                "{ts_regret:.1f} and {ts_paid:.1f}. UCB's bonus is made for the worst case and "
                "goes on asking for arms that are clearly behind."
            ),
            find=size,
            survey=on_average,
            totals=True,
        ),
    ),
    takeaway=(
        "UCB pays for every arm that could still be best, Thompson sampling in proportion to how "
        "likely it is: in markets like these that is much cheaper."
    ),
    reading=("docs/theory/ucb.md", "docs/theory/ts.md", "scenarios/figure1.toml"),
)
