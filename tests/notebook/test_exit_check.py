"""The exit check: what a reader sees of their function, and that nothing they hand in breaks the cell."""

import json
import re
import subprocess
import sys

import pytest

import relay_lab
from relay_lab.app.step_mutants.run import MUTANTS, references
from relay_lab.evaluation.checks.kinds import Step
from relay_lab.notebook import standings
from relay_lab.notebook.standings import LESSONS

AUTHENTICATION = "01_authentication"


@pytest.fixture(autouse=True)
def forgotten(monkeypatch):
    """What this process remembers of other tests."""
    monkeypatch.setattr(standings, "_MEMORY", {})


def handed_in(function):
    """The same function as somebody outside of the package would have written it."""

    def own(*given):
        return function(*given)

    return own


def raises(session, message):
    raise ValueError(f"no {object()}")


def wrong(session, message):
    """A mutant of the package: the customer is whoever the message says."""
    return MUTANTS[0].make(references()[Step.AUTHENTICATE])(session, message)


def test_the_reference_of_every_lesson_earns_every_point():
    for lesson, step in LESSONS.items():
        if step:
            board = relay_lab.exit_check(lesson, handed_in(references()[Step(step)]))
            assert (board.passed, board.points, board.max) == (True, 10, 10), str(board)
            assert "shows what comes next" in str(board)


def test_a_failed_check_shows_points_what_was_sent_what_came_back_and_a_hint():
    board = relay_lab.exit_check(AUTHENTICATION, wrong)
    assert (board.points, board.max, board.passed) == (8, 10, False)
    text, html = str(board), board._repr_html_()
    for part in (
        "authenticate(session, message): 8 of 10 points",
        "CUST-2077",
        "never takes another customer",
    ):
        assert part in text and part in html
    assert "sent: " in text and "came back: " in text and "hint: " in text
    assert "You may believe that the customer is whoever the message says." in text
    assert "You may believe that" in html


def test_the_hint_says_more_at_each_attempt_and_the_last_one_stays():
    hints = [relay_lab.exit_check(AUTHENTICATION, wrong).checks[1].hint for _ in range(4)]
    assert len(set(hints[:3])) == 3
    assert hints[3] == hints[2]


def test_the_same_function_gives_the_same_board():
    first = relay_lab.exit_check(AUTHENTICATION, raises)
    standings._MEMORY.clear()
    second = relay_lab.exit_check(AUTHENTICATION, raises)
    assert str(first) == str(second)
    assert first._repr_html_() == second._repr_html_()
    assert not re.search(r"0x[0-9a-f]{5}", str(first))


def test_what_failed_on_a_hidden_world_only_shows_no_input():
    honest = references()[Step.AUTHENTICATE]

    def learned_by_heart(session, message):
        """Right for the customer that everybody sees, and for nobody else."""
        if session.authenticated_customer_id in ("CUST-1042", None):
            return honest(session, message)
        raise ValueError(f"hidden {session.authenticated_customer_id} {message}")

    board = relay_lab.exit_check(AUTHENTICATION, learned_by_heart)
    assert not board.passed
    shown = str(board) + board._repr_html_()
    assert "another world: " in shown
    assert "hidden" not in shown and "sent" not in str(board)


def test_what_the_function_prints_is_shown_once_and_not_without_end(capsys):
    def prints(session, message):
        print("here <b>I</b> am" * 1000)

    board = relay_lab.exit_check(AUTHENTICATION, prints)
    assert capsys.readouterr() == ("", "")
    assert "Your function printed: here" in str(board) and len(board.printed) == 300
    assert "<b>I" not in board._repr_html_()


class Liar:
    """Every look at it raises."""

    def __getattribute__(self, name):
        raise SystemExit(name)

    def __eq__(self, other):
        raise SystemExit

    __hash__ = None
    __str__ = __repr__ = __bool__ = __eq__


class Exits(Exception):
    def __str__(self):
        raise SystemExit


def lies(session, message):
    return Liar()


def exits(session, message):
    raise SystemExit(3)


def raises_what_raises(session, message):
    raise Exits


def returns_half_a_character(session, message):
    return {"customer_id": "\ud800", "tenant_id": "\x1b[31m"}


def calls_itself(session, message):
    return calls_itself(session, message)


async def waits(session, message):
    return None


def stops(session, message):
    raise GeneratorExit


class TextOfItsOwn(str):
    def removesuffix(self, suffix):
        raise SystemExit

    __hash__ = None


@pytest.mark.filterwarnings("ignore:coroutine")
@pytest.mark.parametrize(
    "given",
    [
        (),
        ("nothing",),
        ("01_authentication",),
        ("01_authentication", None),
        ("01_authentication", 7),
        ("01_authentication", Liar()),
        ("01_authentication", Liar),
        ("01_authentication", lambda: None),
        ("01_authentication", print),
        ("01_authentication", lies),
        ("01_authentication", exits),
        ("01_authentication", raises),
        ("01_authentication", raises_what_raises),
        ("01_authentication", returns_half_a_character),
        ("01_authentication", calls_itself),
        ("01_authentication", waits),
        ("01_authentication", stops),
        ("00_start_here", raises),
        (7, raises),
        (None, None),
        (Liar(), Liar()),
        (TextOfItsOwn("01_authentication"), raises),
        ([], {}),
    ],
)
def test_nothing_that_is_handed_in_breaks_the_cell(given):
    board = relay_lab.exit_check(*given)
    assert not board.passed and board.points == 0
    text = str(board)
    text.encode(), board._repr_html_().encode(), json.dumps(text)
    assert text.count("\n") >= 1
    assert "\x1b" not in text


def test_a_call_instead_of_a_function_and_an_unknown_lesson_get_a_sentence():
    assert "without calling it" in str(relay_lab.exit_check(AUTHENTICATION, {"customer_id": "x"}))
    assert "08_failure_matrix" in str(relay_lab.exit_check("authentication", raises))


def test_an_interrupt_gets_through():
    def hangs(session, message):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        relay_lab.exit_check(AUTHENTICATION, hangs)
    assert standings.read().lessons == {}


def test_the_course_s_own_function_counts_for_nobody():
    board = relay_lab.exit_check(AUTHENTICATION, relay_lab.reference_steps().authenticate)
    assert board.passed and "counts for nobody" in str(board)
    assert standings.read().lessons == {}


def test_a_file_name_is_a_name_of_the_lesson_too():
    assert relay_lab.exit_check("01_authentication.ipynb", wrong).lesson == AUTHENTICATION


def test_importing_the_package_brings_none_of_this():
    code = "import sys, relay_lab; print([m for m in sys.modules if m.startswith('relay_lab.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_slip_that_ends_every_call_alike_is_said_once_and_costs_no_attempt():
    def forgets(session, message):
        relay_lab.reference_steps().authenticate(session, message)

    def misspells(session, message):
        return sesion  # noqa: F821

    for function, said in (
        (forgets, "without `return`"),
        (misspells, "NameError: name 'sesion' is not defined"),
    ):
        board = relay_lab.exit_check(AUTHENTICATION, function)
        assert not board.checks and str(board).count(said) == 1
        assert "No attempt was counted." in str(board)
    assert standings.read().lessons == {}


def test_swapped_arguments_are_told_from_an_unknown_lesson():
    assert "comes first" in str(relay_lab.exit_check(raises, AUTHENTICATION))
