"""The lessons in a real browser, as a student takes them."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from kcmab_abm import play
from kcmab_abm.lab.model.lesson_progress import LessonProgress
from kcmab_abm.lab.model.lessons import all_lessons
from kcmab_abm.lab.model.lessons.lesson import NumberQuestion
from kcmab_abm.lab.model.reading import title_of

SLOW = 120_000  # milliseconds in which kernels are compiled that nobody has used before
NUMBER = "Your answer (a number)"


def feedback(page):
    """The page's response to an answer."""
    return page.get_by_role("status").filter(has_text=re.compile("[✓✗!]|The answer is"))


def give(page, step, answer):
    """Answer as a student does: type and press Enter, or choose and press Check."""
    if isinstance(step.question, NumberQuestion):
        page.get_by_label(NUMBER).fill(answer)
        page.get_by_label(NUMBER).press("Enter")
    else:
        page.get_by_role("radio", name=step.options()[answer], exact=True).click()
        page.get_by_role("button", name="Check").click()


def wrong_answer(step):
    """A wrong answer."""
    if isinstance(step.question, NumberQuestion):
        return "-777"
    return next(word for word in step.options() if word != str(step.answer))


def right_answer(step):
    """The right answer as a student would write it."""
    is_number = isinstance(step.question, NumberQuestion)
    return step.right_answer() if is_number else str(step.answer)


@pytest.mark.parametrize("lesson", all_lessons(), ids=lambda lesson: lesson.number)
def test_every_lesson_is_walked_to_its_end(visit, lesson):
    """Each step gives a hint, accepts the right answer and explains it; the lesson is done."""
    page = visit("/?tab=lessons")
    page.get_by_role("button", name=f"Start lesson {lesson.number}").click()
    for step in lesson.steps:
        expect(page.get_by_role("heading", name=step.title)).to_be_visible()
        expect(page.get_by_text(step.say(step.text))).to_be_visible()
        given = wrong_answer(step)
        give(page, step, given)
        expect(feedback(page)).to_have_text(f"✗ {step.check(given).words}", timeout=SLOW)
        expect(page.get_by_text(step.explain())).to_have_count(0)
        give(page, step, right_answer(step))
        expect(feedback(page)).to_have_text("✓ Right.")
        expect(page.get_by_text(step.explain(), exact=True)).to_be_visible(timeout=SLOW)
        if step is not lesson.steps[-1]:
            page.get_by_role("button", name="Next step").click()
    expect(page.get_by_text(lesson.takeaway)).to_be_visible()
    page.get_by_role("button", name="All lessons").click()
    count = len(lesson.steps)
    expect(page.get_by_text(f"✓ {count} of {count} steps done")).to_be_visible()
    page.get_by_role("button", name=f"Repeat lesson {lesson.number}").click()
    expect(page.get_by_role("heading", name=lesson.steps[0].title)).to_be_visible()
    expect(page.get_by_text(lesson.steps[0].explain(), exact=True)).to_be_visible()


def test_steps_are_left_and_found_again(visit):
    """The buttons for steps, back and the next lesson open what they name."""
    page = visit("/?lesson=1&step=1")
    first, second = all_lessons()[:2]
    give(page, first.steps[0], right_answer(first.steps[0]))
    expect(feedback(page)).to_have_text("✓ Right.")
    expect(page.get_by_role("button", name="Back")).to_have_count(0)
    page.get_by_role("button", name="Step 3 of 5").click()
    expect(page.get_by_role("heading", name=first.steps[2].title)).to_be_visible()
    page.get_by_role("button", name="Back").click()
    expect(page.get_by_role("heading", name=first.steps[1].title)).to_be_visible()
    page.get_by_role("button", name="Step 1 of 5, done").click()
    expect(page.get_by_text(first.steps[0].explain(), exact=True)).to_be_visible()
    page.get_by_role("button", name="Step 5 of 5").click()
    page.get_by_role("button", name="Next lesson").click()
    expect(page.get_by_role("heading", name=f"Lesson 2: {second.title}")).to_be_visible()
    expect(page.get_by_role("heading", name=second.steps[0].title)).to_be_visible()


def test_the_answer_is_shown_after_two_tries(visit):
    """After two wrong answers the answer may be shown; invalid input does not count."""
    page = visit("/?lesson=3&step=2")
    step = all_lessons()[2].steps[1]
    show_answer = page.get_by_role("button", name="Show the answer")
    for given in ("abc", "", "<script>alert(1)</script>"):
        give(page, step, given)
        expect(feedback(page)).to_have_text(f"! {step.check(given).words}")
    for given in ("7", "0.1"):
        expect(show_answer).to_be_hidden()
        give(page, step, given)
        expect(feedback(page)).to_have_text(f"✗ {step.check(given).words}")
    show_answer.click()
    expect(feedback(page)).to_have_text("The answer is 0.80.")
    expect(page.get_by_text(step.explain(), exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Step 2 of 6, done")).to_be_visible()


def test_links_open_steps(visit):
    """The address follows the steps and reopens them; a missing step opens the nearest one."""
    page = visit("/?lesson=5&step=1")
    page.get_by_role("button", name="Next step").click()
    expect(page.get_by_role("heading", name="Who can be paid")).to_be_visible()
    page.wait_for_url(re.compile("lesson=5&step=2"))
    page.reload()
    expect(page.get_by_role("heading", name="Who can be paid")).to_be_visible()
    page.goto("/?lesson=99&step=99")
    expect(page.get_by_role("heading", name="Noise explores")).to_be_visible()


def test_a_broken_link_shows_the_page(visit):
    """Invalid numbers open the first screen."""
    page = visit("/?lesson=<b>&step=-1")
    expect(page.get_by_role("tab", name="Start")).to_have_attribute("aria-selected", "true")


def test_the_market_of_a_step_is_walked_through(visit):
    """One customer, next payment and undo work in a lesson's market."""
    step = all_lessons()[1].steps[1]
    run = play(step.setup.scenario, "ucb", engine="market")
    page = visit("/?lesson=2&step=2")
    expect(page.get_by_text("Customer 3 takes arm 1").first).to_be_visible()
    page.get_by_role("button", name="Next payment").click()
    paid = f"takes arm 0, earns {run.rewards[4]:g}, is paid {run.payments[4]:.3f}."
    expect(page.get_by_text(f"Customer {step.answer} {paid}").first).to_be_visible()
    page.get_by_role("button", name="One customer").click()
    expect(page.get_by_text(f"Customer {step.answer + 1} takes arm").first).to_be_visible()
    for _ in range(2):
        page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Customer 4 takes arm 1").first).to_be_visible()


def test_a_lesson_leaves_the_market_alone_until_asked(visit):
    """A lesson leaves the Market tab alone until its market is opened there."""
    page = visit("/?lesson=3&step=4")
    page.get_by_role("button", name="One customer").click()
    expect(page.get_by_text("Customer 21 takes arm 0").first).to_be_visible()
    page.get_by_role("tab", name="Market").click()
    expect(page.get_by_text("Customer 1 is sent to arm 0").first).to_be_visible()
    page.get_by_role("tab", name="Lessons").click()
    page.get_by_role("button", name="Open this market in the Market tab").click()
    expect(page.get_by_role("tab", name="Market")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_text("Customer 22 sees").first).to_be_visible()


def test_a_lesson_is_done_by_keyboard(visit):
    """A lesson can be taken without a mouse."""
    page = visit("/?lesson=1&step=1")
    expect(page.get_by_role("heading", name="Two reports")).to_be_visible()
    page.get_by_role("radio", name="Arm 1").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    expect(feedback(page)).to_have_text("✓ Right.")
    expect(page.get_by_text("makes no difference to her")).to_be_visible()
    page.get_by_role("button", name="Next step").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Nobody goes back")).to_be_visible()


def test_two_students_have_marks_of_their_own(visit):
    """One student's progress is not another's."""
    one, other = visit("/?lesson=1&step=1"), visit("/?tab=lessons")
    give(one, LessonProgress().lessons[0].steps[0], "1")
    expect(feedback(one)).to_have_text("✓ Right.")
    one.get_by_role("button", name="All lessons").click()
    expect(one.get_by_text("1 of 5 steps done")).to_be_visible()
    expect(other.get_by_text("1 of 5 steps done")).to_have_count(0)
    other.reload()
    expect(other.get_by_role("button", name="Start lesson 1")).to_be_visible()
    expect(other.get_by_text("1 of 5 steps done")).to_have_count(0)


def test_what_is_done_stays_done(visit):
    """After a reload the progress is there, and the lesson continues where it was left."""
    page = visit("/?lesson=1&step=1")
    lesson = LessonProgress().lessons[0]
    give(page, lesson.steps[0], "1")
    expect(page.get_by_role("button", name="Step 1 of 5, done")).to_be_visible()
    page.reload()
    expect(page.get_by_text(lesson.steps[0].explain(), exact=True)).to_be_visible()
    page.goto("/?tab=lessons")
    expect(page.get_by_text("1 of 5 steps done")).to_be_visible()
    page.get_by_role("button", name="Continue lesson 1").click()
    expect(page.get_by_role("heading", name=lesson.steps[1].title)).to_be_visible()


def test_what_is_done_can_be_forgotten(visit):
    """The button clears all progress and then disappears."""
    page = visit("/?lesson=1&step=1")
    give(page, LessonProgress().lessons[0].steps[0], "1")
    expect(page.get_by_role("button", name="Step 1 of 5, done")).to_be_visible()
    page.get_by_role("button", name="All lessons").click()
    page.get_by_role("button", name="Clear my progress").click()
    expect(page.get_by_role("button", name="Start lesson 1")).to_be_visible()
    page.goto("/?lesson=1&step=1")
    expect(page.get_by_role("button", name="Step 1 of 5", exact=True)).to_be_visible()
    page.get_by_role("button", name="All lessons").click()
    expect(page.get_by_role("button", name=re.compile("^Start lesson"))).to_have_count(6)
    expect(page.get_by_role("button", name="Clear my progress")).to_have_count(0)


def test_two_pages_of_one_student_add_up(visit):
    """Two pages of one student do not overwrite each other's progress."""
    one = visit("/?lesson=1&step=1")
    other = one.context.new_page()
    other.goto("/?lesson=3&step=2")
    for page, lesson, step in ((one, 0, 0), (other, 2, 1)):
        asked = LessonProgress().lessons[lesson].steps[step]
        give(page, asked, right_answer(asked))
        expect(page.get_by_role("button", name=re.compile("done$"))).to_have_count(1)
    other.close()
    one.goto("/?tab=lessons")
    for words in ("1 of 5 steps done", "1 of 6 steps done"):
        expect(one.get_by_text(words)).to_have_count(1)
    one.get_by_role("button", name="Continue lesson 3").click()
    title = LessonProgress().lessons[2].steps[0].title
    expect(one.get_by_role("heading", name=title)).to_be_visible()


def test_nothing_is_wider_than_the_screen(visit):
    """A step with two markets needs no sideways scrolling on a projector or a phone."""
    page = visit("/?lesson=4&step=4")
    expect(page.get_by_role("heading", name="Two bills")).to_be_visible()
    for width in (1280, 1024, 390):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), width


@pytest.mark.parametrize("lesson", all_lessons(), ids=lambda lesson: f"lesson {lesson.number}")
def test_what_a_lesson_recommends_opens(visit, lesson):
    """At the end of a lesson, every link opens a page with text, or a market."""
    steps = len(lesson.steps)
    marks = ".".join(str(number) for number in range(1, steps + 1))
    state = _stored(f"kcmab_lesson_{lesson.number}", marks)
    page = visit(f"/?lesson={lesson.number}&step={steps}", storage_state=state)
    for path in lesson.reading:
        with page.expect_popup() as opened:
            page.get_by_role("link", name=title_of(path)).click()
        there = opened.value
        if path.endswith(".toml"):
            expect(there.get_by_test_id("question")).not_to_be_empty()
        else:
            expect(there.locator(".lab-reading h1")).not_to_be_empty()
        there.close()


def _stored(name, value):
    """A cookie as a browser profile stores it."""
    cookie = {"name": name, "value": value, "domain": "127.0.0.1", "path": "/", "expires": -1}
    plain = {"httpOnly": False, "secure": False, "sameSite": "Lax"}
    return {"cookies": [cookie | plain], "origins": []}
