"""Lesson 5: modified Thompson sampling pays every other customer at most, and after looking."""

from __future__ import annotations

from kcmab_abm.experiment import simulate
from kcmab_abm.lab.desk import Desk
from kcmab_abm.lab.lessons.lesson import (
    ChoiceQuestion,
    Facts,
    Lesson,
    NumberQuestion,
    Slip,
    Step,
)
from kcmab_abm.lab.lessons.scene import run_of, sight_at, world

SEED = 10  # one round in which the price rises before it is paid, and the next in which it vanishes
RUNS = 400

MARKET = world("Rounds of two", [0.7, 0.5, 0.3], ["modified-ts", "ts"], seed=SEED, horizon=500)
DEARER = Desk(MARKET, shown=11)
FREE = Desk(MARKET, shown=13)
BOTH = Desk(MARKET, right=1, shown=MARKET.horizon, revealed=True)


def place_in_the_round(desk: Desk) -> Facts:
    """Whether the customer before the board is the first or the second of her round."""
    arms, customer = len(desk.scenario.market.arms), desk.shown + 1
    return {
        "answer": "second" if (customer - arms) % 2 == 0 else "first",
        "arms": arms,
        "customer": customer,
        "start": arms + 1,
        "start_second": arms + 2,
        "after": customer - arms,
    }


def most_paid(desk: Desk) -> Facts:
    """How many customers can be paid at most, and how many are."""
    customers, arms = desk.scenario.horizon, len(desk.scenario.market.arms)
    rest = customers - arms
    return {
        "answer": rest // 2,
        "rest": rest,
        "half": customers // 2,
        "rounded_up": rest - rest // 2,
        "customers": customers,
        "arms": arms,
        "paid": int((run_of(desk).payments > 0.0).sum()),
    }


def second_price(desk: Desk) -> Facts:
    """What the second customer of the round is paid, and what she would have got before."""
    start, second, run = sight_at(desk), sight_at(desk, later=1), run_of(desk)
    first, arm = int(run.arms[desk.shown]), second.target
    return {
        "answer": float(run.payments[desk.shown + 1]),
        "too_early": float(start.means.max() - start.means[arm]),
        "arm": arm,
        "record": float(second.means[arm]),
        "first_arm": first,
        "earned": int(run.rewards[desk.shown]),
        "before": float(start.means[first]),
        "after": float(second.means[first]),
        "reports": int(start.pulls[first]),
        "customer": desk.shown + 1,
        "next": desk.shown + 2,
        "none": 0.0,
    }


def bills(desk: Desk) -> Facts:
    """What both kinds of Thompson sampling have paid."""
    rounds, plain = run_of(desk, 0), run_of(desk, 1)
    paid, other = float(rounds.payments.sum()), float(plain.payments.sum())
    return {
        "answer": other - paid,
        "backwards": paid - other,
        "regrets": float(plain.regrets.sum() - rounds.regrets.sum()),
        "paid": paid,
        "other": other,
        "customers": len(plain),
    }


def on_average(desk: Desk) -> Facts:
    """What both pay and lose on average over many markets."""
    table = simulate(desk.scenario.replace(replications=RUNS)).summary().set_index("policy")
    return {
        "runs": RUNS,
        "mean_paid": float(table["compensation"]["modified-ts"]),
        "mean_other": float(table["compensation"]["ts"]),
        "mean_regret": float(table["regret"]["modified-ts"]),
        "mean_other_regret": float(table["regret"]["ts"]),
    }


LESSON = Lesson(
    number=5,
    title="The round of two",
    opening=(
        "You will see the paper's own policy, modified Thompson sampling. It serves customers in "
        "rounds of two: the first goes where she likes and is paid nothing, the second may be "
        "paid. You will see that what happens in between changes the price."
    ),
    steps=(
        Step(
            title="Who is who",
            text=(
                "The first {arms} customers are sent to the {arms} arms. Then rounds begin: "
                "customers {start} and {start_second} are the first and the second of the first "
                "round, and so on. Customer {customer} stands before the board."
            ),
            desk=DEARER,
            question=ChoiceQuestion(
                "Is customer {customer} the first or the second of her round?",
                "Take {arms} off her number: rounds begin at customer {start}.",
                (
                    Slip(
                        "second",
                        "Even numbers are second only if rounds begin with an odd one. "
                        "They begin at customer {start}.",
                    ),
                ),
                options={"first": "the first", "second": "the second"},
            ),
            explanation=(
                "She is number {after} after those who were sent, an odd number: the {answer} of "
                "her round. She gets the leader, for nothing."
            ),
            find=place_in_the_round,
        ),
        Step(
            title="Who can be paid",
            text=(
                "{customers} customers will come, {arms} of them sent to the arms at the start. "
                "Nobody pays the first of a round. If a last one has no partner, her round ends "
                "with her."
            ),
            desk=DEARER,
            question=NumberQuestion(
                "How many customers can be paid at most?",
                "Count the complete rounds after the first {arms} customers.",
                (
                    Slip("rest", "In each round one of the two goes unpaid."),
                    Slip("half", "The first {arms} customers belong to no round."),
                    Slip(
                        "rounded_up",
                        "The last customer has no partner: she is the first of her "
                        "round, and goes unpaid.",
                    ),
                ),
                tolerance=0.0,
                places=0,
            ),
            explanation=(
                "{rest} customers after the start make {answer} complete rounds. In this market "
                "only {paid} are paid: often the sample points to the leader anyway."
            ),
            find=most_paid,
        ),
        Step(
            title="The price rises",
            text=(
                "The round of customers {customer} and {next} begins. The controller draws its "
                "samples now, before customer {customer}: the highest is that of arm {arm}, so arm "
                "{arm} is for customer {next}. But first customer {customer} takes the leader, arm "
                "{first_arm}, with a record of {before:.2f} from {reports} reports. She will earn "
                "{earned}."
            ),
            desk=DEARER,
            question=NumberQuestion(
                "What will customer {next} be paid for arm {arm}, whose record is {record:.2f}?",
                "Compute the leader's record with one more reward of {earned} in it. The price is "
                "that record less {record:.2f}.",
                (
                    Slip(
                        "too_early",
                        "That is the gap now. Customer {next} comes after the report "
                        "of customer {customer}.",
                    ),
                    Slip("none", "Arm {arm} is behind: she wants something for it."),
                ),
                tolerance=0.01,
            ),
            explanation=(
                "The record of arm {first_arm} rises from {before:.2f} to {after:.2f}, and "
                "{after:.2f} − {record:.2f} = {answer:.2f}. The sample is old, the price is new. "
                "Check it with “One customer”."
            ),
            find=second_price,
            buttons=True,
        ),
        Step(
            title="The price vanishes",
            text=(
                "The next round: the sample points to arm {arm} again, with a record of "
                "{record:.2f}. Customer {customer} takes the leader, arm {first_arm} with "
                "{before:.2f} from {reports} reports, and earns {earned}."
            ),
            desk=FREE,
            question=NumberQuestion(
                "What will customer {next} be paid for arm {arm}?",
                "Which arm has the best record after the report of customer {customer}?",
                (
                    Slip(
                        "too_early",
                        "That is the gap now. Which arm leads after customer {customer}'s report?",
                    ),
                ),
                tolerance=0.01,
            ),
            explanation=(
                "The record of arm {first_arm} falls from {before:.2f} to {after:.2f}, so arm "
                "{arm} leads with {record:.2f} and she takes it for nothing. The first customer of "
                "a round has tested the leader, unpaid."
            ),
            find=second_price,
            buttons=True,
        ),
        Step(
            title="What the rounds save",
            text=(
                "The same tapes after {customers} customers: modified Thompson sampling on the "
                "left, plain Thompson sampling, which may pay everybody, on the right."
            ),
            desk=BOTH,
            question=NumberQuestion(
                "How much less compensation has the left one paid?",
                "Subtract the compensation on the left from that on the right.",
                (
                    Slip("backwards", "The right number with the wrong sign: how much less?"),
                    Slip("regrets", "That is the difference of the regrets."),
                ),
                tolerance=0.1,
                places=1,
            ),
            explanation=(
                "{other:.1f} − {paid:.1f} = {answer:.1f}. Over {runs} such markets modified "
                "Thompson sampling pays {mean_paid:.1f} on average with a regret of "
                "{mean_regret:.1f}, plain Thompson sampling {mean_other:.1f} with "
                "{mean_other_regret:.1f}."
            ),
            find=bills,
            survey=on_average,
            totals=True,
        ),
    ),
    takeaway=(
        "In a round of two the sample is drawn at the start, the first customer tests the leader "
        "unpaid, and the second is paid by the records that the first one leaves."
    ),
    reading=("docs/theory/modified-ts.md", "scenarios/figure2.toml"),
)
