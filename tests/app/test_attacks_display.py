"""Free text of a record on a screen: it is shown as it is written and does nothing."""

import io

import pytest
from rich.console import Console

from relay_lab.app.attack_corpus import Attack
from relay_lab.app.attack_run import records_with
from relay_lab.app.lab import open_lab
from relay_lab.app.settings import scenario_named


@pytest.mark.parametrize(
    "text",
    [
        "[bold red]refund[/nope]",
        "[/]",
        "[link=file:///etc]x[/link]",
        "\x1b[31mred",
        "a\u202eb",
        "<script>alert(1)</script>",
    ],
)
def test_a_record_cannot_style_break_or_reorder_the_screen(text):
    """Markup, terminal codes and characters that reorder stand in the quote as text, in a terminal and in a notebook."""
    scenario = scenario_named("relay")
    attack = Attack(id="x", kind="x", channel="everywhere", tries="refund", text=text)
    with open_lab(records_with(attack, text, scenario)) as lab:
        lab.say(scenario.message)
        run = lab.choose("individual")
    out = io.StringIO()
    Console(file=out, width=400, force_terminal=True, color_system=None).print(run)
    shown = "".join(mark if mark.isprintable() else "\u00b7" for mark in text)
    assert f"({shown})" in out.getvalue()
    assert "\u202e" not in out.getvalue()
    assert "\x1b[31mred" not in out.getvalue()
    assert run is not None
    assert "<script>" not in run._repr_html_()
