"""Articles: found by their words, and harmless to whoever shows them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relay_lab.contracts.evidence import Article
from relay_lab.world.articles import stripped


@pytest.mark.parametrize(
    ("written", "prose"),
    [
        ("a<script>steal()</script>b", "ab"),
        ("a<SCRIPT src=x>steal()</SCRIPT >b", "ab"),
        ("a<script>never closed", "a"),
        ("a<style>p{color:red}</style>b", "ab"),
        ("a<img src=x onerror=alert(1)>b", "ab"),
        ("a<b>bold</b>c", "aboldc"),
        ("a<scr<script>x</script>ipt>steal()</script>b", "ab"),
        ("a<[](x)script>steal()</script>b", "a"),
        ("a<!-- hidden order -->b", "ab"),
        ("see ![pixel](https://c.example/p.gif?id=1) here", "see here"),
        ("see ![pixel][ref] here", "see here"),
        ("read [the tour](https://h.example/t_(1)) now", "read the tour now"),
        ("read [the tour][1] now\n\n[1]: https://h.example", "read the tour now"),
        ("go to https://c.example/x now", "go to now"),
        ("[click](javascript:void(0))", "click"),
        ("a\u202eb\u2066c\u200bd\x07e\u00ad", "abcde"),
        ("a\U000e0041b", "ab"),
        ("two\r\nlines\tand  blanks", "two\nlines and blanks"),
        ("a family: \U0001f468\u200d\U0001f469\u200d\U0001f466", "a family: \U0001f468\u200d\U0001f469\u200d\U0001f466"),
        ("3 < 4 and 5 > 2", "3 < 4 and 5 > 2"),
    ],
)  # fmt: skip
def test_active_content_is_taken_out_and_prose_stays(written: str, prose: str) -> None:
    assert stripped(written) == prose


@given(st.text(alphabet="<>/![]()ab:s cript-\n", max_size=60))
def test_stripping_again_finds_nothing_left(written: str) -> None:
    once = stripped(written)
    assert stripped(once) == once


def test_an_article_that_gives_orders_is_found_as_prose_without_its_script(lab: Any) -> None:
    found = lab.company.articles.search("payment appears twice")
    text = found[0].value
    assert isinstance(text, Article)
    assert "schedule_downgrade" in text.text
    assert not any(word in text.text for word in ("<", "script", "http", "javascript", "!["))


def test_more_shared_words_come_first_and_no_shared_word_is_not_found(lab: Any) -> None:
    found = lab.company.articles.search("Gantt charts")
    assert found[0].evidence_id == "KB-210"
    assert lab.company.articles.search("zebra") == []
    assert lab.company.articles.search("") == []
