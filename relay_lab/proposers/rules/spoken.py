"""Which language each sentence is in: a message may change it from one to the next."""

from collections.abc import Sequence
from typing import NamedTuple

from relay_lab.proposers.rules.language import Language
from relay_lab.proposers.rules.tokens import WORD, Token

_MARGIN = 2
"""A sentence is in another language than the message when that one knows so many of its words more."""


class Sentence(NamedTuple):
    """Tokens `start` to `end` (exclusive), the mark that ends them, and the language they are in."""

    start: int
    end: int
    mark: str
    language: Language


def spoken(
    sentences: list[tuple[int, int, str]], tokens: list[Token], languages: Sequence[Language]
) -> list[Sentence]:
    """The sentences with their languages; the first language where none knows more of the message."""
    words = sorted({token.text for token in tokens if token.kind == WORD})
    known = [{word for word in words if language.lexicon.has(word)} for language in languages]
    scores = [_scores(tokens[start:end], known) for start, end, _ in sentences]
    totals = [sum(score[n] for score in scores) for n in range(len(languages))]
    main = totals.index(max(totals))
    found = []
    for (start, end, mark), score in zip(sentences, scores, strict=True):
        best = score.index(max(score))
        # Names and loan words are known everywhere: what one language knows nearly all of is in that language.
        length = len({token.text for token in tokens[start:end] if token.kind == WORD})
        clear = score[main] * 2 <= score[best] + _MARGIN or score[best] * 5 >= length * 4
        other = score[best] >= score[main] + _MARGIN and clear
        found.append(Sentence(start, end, mark, languages[best if other else main]))
    return found


def _scores(tokens: list[Token], known: list[set[str]]) -> list[int]:
    # Each word once: a word that is said a hundred times says no more of the language than one that is said once.
    words = {token.text for token in tokens if token.kind == WORD}
    return [len(words & theirs) for theirs in known]
