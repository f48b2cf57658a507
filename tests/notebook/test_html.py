"""Escaping, tables and the style sheet."""

import re

import pytest

from relay_lab.notebook.html import Html, html, mark, page, part, plain_table, style_sheet, table


def test_text_is_escaped_and_markup_of_this_package_is_not():
    assert html("<b>&\"'") == "&lt;b&gt;&amp;&quot;&#x27;"
    assert html(Html("<b>x</b>")) == "<b>x</b>"
    assert mark("<i>", "bad") == '<span class="relay-mark relay-bad">&lt;i&gt;</span>'


@pytest.mark.parametrize("hidden", ["\x1b[31m", "\u202e", "\u200b", "\x00", "\r"])
def test_what_moves_hides_or_reorders_text_is_shown_as_a_dot(hidden):
    assert html(f"a{hidden}b") == f"a·{hidden[1:]}b"


def test_lines_stay_lines():
    assert html("a\nb") == "a<br>b"


def test_the_cells_of_a_table_are_escaped_in_the_caption_too():
    made = table("<x>", ("<y>", "b"), [("<z>", Html("<b>w</b>"))])
    assert "<x>" not in made and "<y>" not in made and "<z>" not in made
    assert "<b>w</b>" in made


def test_a_table_tells_a_screen_reader_what_heads_what():
    made = table("Ledger", ("claim", "says"), [("C1", "yes")])
    assert "<caption>Ledger</caption>" in made
    assert made.count('<th scope="col">') == 2 and made.count('<th scope="row">') == 1


def test_a_page_carries_the_style_sheet_once_and_a_part_not_at_all():
    assert page(Html("<p>x</p>")).count("<style>") == 1
    assert "<style>" not in part(Html("<p>x</p>"))


def test_every_colour_follows_the_theme_and_has_one_for_pages_without():
    sheet = style_sheet()
    assert "/*" not in sheet
    colours = re.findall(r"(?:^|[\s;{])(?:color|background|border[a-z-]*|outline):([^;]*);", sheet)
    fixed = [
        value
        for value in colours
        if re.search(r"#|rgb|CanvasText|GrayText", re.sub(r"var\([^)]*\)", "", value))
    ]
    assert fixed == []
    assert all("," in used for used in re.findall(r"var\([^)]*\)", sheet))


def test_nothing_in_the_style_sheet_is_fetched():
    assert "url(" not in style_sheet() and "@import" not in style_sheet()


def test_the_plain_table_lines_its_columns_up_and_keeps_a_row_on_a_line():
    assert plain_table(("a", "b"), [("long", "x\ny"), ("c", "")]) == "a     b\nlong  x / y\nc"
