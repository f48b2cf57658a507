"""Articles: prose for people. It is data whatever it says, so what could act on a reader's machine is taken out."""

import re
from collections.abc import Iterable

from relay_lab.contracts.evidence import Article, Source, VerifiedRecord
from relay_lab.world.data import ArticleRow
from relay_lab.world.system import System

MOST_FOUND = 5

# What is dropped whole, with whatever stands inside; an element that is never closed runs to the end of the text.
_ACTING = re.compile(
    r"<(script|style|iframe|object|svg|template)\b.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL
)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TAG = re.compile(r"</?[A-Za-z!?][^>]*(?:>|\Z)")
_TARGET = r"(?:\((?:[^()]|\([^()]*\))*\)|\[[^\]]*\])"
_IMAGE = re.compile(rf"!\[[^\]]*\]{_TARGET}?")
_LINK = re.compile(rf"\[([^\]]*)\]{_TARGET}")
_DEFINITION = re.compile(r"^[ ]{0,3}\[[^\]]+\]:.*$", re.MULTILINE)
_ADDRESS = re.compile(r"\b(?:https?|ftp|data|javascript|file|vbscript):\S+", re.IGNORECASE)
# Controls other than tab and newline, soft hyphen, zero-width space, bidirectional marks, tag characters. Joiners stay:
# emoji need them.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
)
_TAKEN_OUT = (
    (_COMMENT, ""), (_ACTING, ""), (_TAG, ""), (_IMAGE, ""), (_LINK, r"\1"), (_DEFINITION, ""), (_ADDRESS, ""),
)  # fmt: skip
_WORD = re.compile(r"\w+")


def stripped(text: str) -> str:
    """The prose of `text` alone: no element, no image, no link target or address, no character that hides or reorders."""
    before = None
    # Taking one thing out can join the halves of another: each kind until there is none left, and all of them again.
    while text != before:
        before = text
        text = _HIDDEN.sub("", text)
        for pattern, left in _TAKEN_OUT:
            text = _replaced(pattern, left, text)
        text = "\n".join(" ".join(line.split()) for line in text.splitlines()).strip()
    return text


def _replaced(pattern: re.Pattern[str], left: str, text: str) -> str:
    found = 1
    while found:
        text, found = pattern.subn(left, text)
    return text


class Articles(System):
    """The system of record for the knowledge base."""

    source = Source.ARTICLES
    TABLES = """
CREATE TABLE articles (
  article_id TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  text TEXT NOT NULL,
  version TEXT NOT NULL
) WITHOUT ROWID;
"""

    def load(self, articles: Iterable[ArticleRow]) -> None:
        """Fill the empty table."""
        self._db.many(
            "INSERT INTO articles VALUES (?, ?, ?, ?)",
            ((row.article_id, row.title, row.text, row.version) for row in articles),
        )

    def search(self, query: str) -> list[VerifiedRecord]:
        """At most five articles that share a word with the query, the most words first; their prose alone."""
        wanted = {word.lower() for word in _WORD.findall(query)}
        found = []
        for article_id, title, text, version in self._db.rows(
            "SELECT article_id, title, text, version FROM articles"
        ):
            prose = Article(title=stripped(title), text=stripped(text))
            shared = wanted & {word.lower() for word in _WORD.findall(f"{prose.title} {prose.text}")}
            if shared:
                found.append((-len(shared), article_id, version, prose))
        found.sort(key=lambda hit: hit[:2])
        return [self._verified(hit[1], hit[2], hit[3]) for hit in found[:MOST_FOUND]]
