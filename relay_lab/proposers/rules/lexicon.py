"""From words to classes: exact forms, phrases, stems, and a word one slip away from a form."""

import re
from collections.abc import Collection, Iterable
from functools import cached_property

from relay_lab.proposers.rules.tokens import COMMA, NUMBER, WORD, Token, fold, plain

_Phrase = tuple[tuple[str, ...], str]
_Reading = tuple[str, dict[str, tuple[int, ...]], list[_Phrase]]
_SHORTEST_TYPO = 5
_SHORTEST_SWAP = 4
"""Two letters swapped are also known again in a word of four letters that no slot rests on."""
_LONGEST_TYPO = 20
_SHORTEST_HEAD = 2
"""Letters before the ending of a word."""
_CACHED = 20_000
_DIGRAPH = re.compile("(?<=[aou])e")
"""What is left out where `ä`, `ö` and `ü` were typed as `ae`, `oe` and `ue`."""


class Lexicon:
    """The forms of one language. Classes named `group:value` also count as their group.

    A form and a word are compared without their accents, unless the word without them is another real word (`cancelé`).
    """

    def __init__(
        self,
        classes: dict[str, list[str]],
        literals: Iterable[str],
        real_words: Collection[str],
        apostrophes: Iterable[str] = (),
        compounds: Collection[str] = (),
    ) -> None:
        """`classes`: name -> forms (`@other` includes a class, `stem*` is a prefix, `*end` an ending); `literals`: what
        patterns name; `apostrophes`: the endings that an apostrophe sets apart from a word; `compounds`: the classes that a
        longer word belongs to when it ends in one of their forms."""
        self._written = {fold(word) for word in real_words}
        self._endings = frozenset(self._key(fold(ending)) for ending in apostrophes)
        self._phrases: dict[str, list[_Phrase]] = {}
        self._stems: dict[str, list[str]] = {}
        self._words: dict[str, int] = {}
        """Each word and its rank: what the data file names first is the likelier meaning of a slip."""
        self._umlauts: dict[str, str] = {}
        self._tails: dict[str, list[str]] = {}
        self._compounds = frozenset(compounds)
        for name in classes:
            for form in _forms(classes, name):
                self._add(name, form)
        for word in literals:
            self._add(f"={word}", word.replace("_", " "))
        self._real = self._words.keys() | {self._key(word) for word in self._written}
        self._valued = {
            self._key(fold(word))
            for name in classes
            if ":" in name
            for form in _forms(classes, name)
            for word in form.split()
        }
        self._own: dict[str, bool] = {}
        self._corrected: dict[str, str] = {}
        self._readings: dict[tuple[str, str], _Reading] = {}

    def _key(self, word: str) -> str:
        """The folded word as it is looked up."""
        bare = plain(word)
        return word if bare != word and bare in self._written else bare

    @cached_property
    def _deletions(self) -> dict[str, list[str]]:
        return _deletions(
            word for word in self._words if len(word) >= _SHORTEST_TYPO or word not in self._valued
        )

    def _add(self, name: str, form: str) -> None:
        words = tuple(form.split())
        if form == form.lower():
            words = tuple(self._key(fold(word)) for word in words)
        if form.startswith("*"):
            self._tails.setdefault(words[0][1:], []).append(name)
            return
        if form.endswith("*") and len(words) == 1:
            self._stems.setdefault(words[0][:-1], []).append(name)
            return
        self._phrases.setdefault(words[0], []).append((words, name))
        for word in words:
            if word == word.lower() and not word.endswith("*"):
                self._words.setdefault(word, len(self._words))
                self._umlauts.setdefault(_DIGRAPH.sub("", word), word)
        if name in self._compounds and len(words) == 1 and len(words[0]) >= _SHORTEST_TYPO:
            self._tails.setdefault(words[0], []).append(name)

    def has(self, word: str) -> bool:
        """Whether the word is of this language, but for its accents exactly as it is written."""
        if word not in self._own:
            if len(self._own) > _CACHED:
                self._own.clear()
            key = self._key(word)
            self._own[word] = key in self._real or self._head(key) in self._real or bool(self._by_stem(key))
        return self._own[word]

    def _head(self, word: str) -> str:
        """The word without an ending that an apostrophe sets apart (`Gantt'ı`)."""
        head, mark, ending = word.partition("'")
        return head if mark and ending in self._endings else word

    def knows(self, token: Token) -> bool:
        """Whether the word is a form, a stem or a real word of this language, exactly or nearly."""
        key = self._key(token.text)
        return (
            key.removesuffix("'s") in self._real
            or self._head(key) in self._real
            or self.correct(key) in self._words
            or bool(self._by_stem(key))
        )

    def correct(self, word: str) -> str:
        """The form that the looked-up `word` is one slip away from (both of five letters or more), else the word itself."""
        joined = word.replace("'", "")
        if word in self._real or joined in self._real or self._by_stem(word):
            return word if word in self._real or joined not in self._real else joined
        if joined not in self._corrected:
            if len(self._corrected) > _CACHED:
                self._corrected.clear()
            self._corrected[joined] = self._umlaut(joined) or self._nearest(joined)
        return self._corrected[joined]

    def _umlaut(self, word: str) -> str | None:
        return self._umlauts.get(_DIGRAPH.sub("", word)) if _DIGRAPH.search(word) else None

    def _nearest(self, word: str) -> str:
        if not _SHORTEST_SWAP <= len(word) <= _LONGEST_TYPO:
            return word
        near = {form for key in _cuts(word) for form in self._deletions.get(key, ()) if _one_slip(word, form)}
        return min(near, key=lambda form: (sorted(form) != sorted(word), self._words[form]), default=word)

    def _by_stem(self, word: str) -> list[str]:
        return [n for size in range(3, len(word) + 1) if size <= 24 for n in self._stems.get(word[:size], ())]

    def _by_tail(self, word: str) -> list[str]:
        """The classes of the longest ending of the word that is known as one, or as the last part of a compound."""
        tails = (word[at:] for at in range(_SHORTEST_HEAD, len(word) - 2))
        return next((self._tails[tail] for tail in tails if tail in self._tails), [])

    def mark(self, tokens: list[Token]) -> list[dict[str, tuple[int, ...]]]:
        """The classes that begin at each token."""
        read = {token.surface: self._read(token) for token in tokens}
        words = [read[token.surface][0] for token in tokens]
        marks: list[dict[str, tuple[int, ...]]] = []
        for index, token in enumerate(tokens):
            _, here, phrases = read[token.surface]
            after = words[index + 1] if index + 1 < len(words) else ""
            could = [row for row in phrases if row[0][1] == after or row[0][1].endswith("*")]
            stand = [(len(p), name) for p, name in could if _stands(words[index : index + len(p)], p)]
            if stand:
                here = dict(here)
                for size, name in stand:
                    _note(here, name, size)
            marks.append(here)
        return marks

    def _read(self, token: Token) -> _Reading:
        """The word meant, the classes of the word alone, and the phrases that it may begin."""
        key = (token.kind, token.surface)
        if key not in self._readings:
            if len(self._readings) > _CACHED:
                self._readings.clear()
            self._readings[key] = self._look_up(token)
        return self._readings[key]

    def _look_up(self, token: Token) -> _Reading:
        here: dict[str, tuple[int, ...]] = {}
        if token.kind == NUMBER:
            here["=#"] = (1,)
            if token.surface[0] in "$€£":
                here["money"] = (1,)
        elif token.kind == COMMA:
            here["=,"] = (1,)
        phrases: list[_Phrase] = []
        text = self._key(token.text)
        joined, bare = text.replace("'", ""), self._head(text)
        word = self.correct(text) if joined.isalpha() else text
        if bare != text and not (word in self._words or joined in self._words):
            word = self.correct(bare)
        for key in sorted({word, text, joined, bare, text.removesuffix("'s"), token.surface}):
            for phrase, name in self._phrases.get(key, ()):
                if len(phrase) == 1:
                    _note(here, name, 1)
                else:
                    phrases.append((phrase, name))
        if token.kind == WORD and word == text:
            for name in [*self._by_stem(text), *self._by_tail(text)]:
                _note(here, name, 1)
        return word, here, phrases


def _stands(written: list[str], phrase: tuple[str, ...]) -> bool:
    """Whether these words are the phrase, of which the last word may be a stem."""
    *head, last = phrase
    ends = written[-1].startswith(last[:-1]) if last.endswith("*") else written[-1] == last
    return ends and len(written) == len(phrase) and written[:-1] == head


def _note(here: dict[str, tuple[int, ...]], name: str, size: int) -> None:
    for key in (name, name.partition(":")[0]) if ":" in name else (name,):
        if size not in here.get(key, ()):
            here[key] = (*here.get(key, ()), size)


def _forms(classes: dict[str, list[str]], name: str) -> list[str]:
    forms: list[str] = []
    own = classes[name] if name in classes else [f"@{key}" for key in classes if key.startswith(f"{name}:")]
    for form in own:
        forms += _forms(classes, form[1:]) if form.startswith("@") else [form]
    return forms


def _cuts(word: str) -> list[str]:
    return [word, *(word[:i] + word[i + 1 :] for i in range(len(word)))]


def _deletions(words: Iterable[str]) -> dict[str, list[str]]:
    index: dict[str, list[str]] = {}
    for word in words:
        if _SHORTEST_SWAP <= len(word) <= _LONGEST_TYPO and word.isalpha():
            for key in dict.fromkeys(_cuts(word)):
                index.setdefault(key, []).append(word)
    return index


def _neighbours(typed: str, form: str) -> bool:
    places = [i for i, (a, b) in enumerate(zip(typed, form, strict=True)) if a != b]
    return len(places) == 2 and places[1] - places[0] == 1


def _one_slip(typed: str, form: str) -> bool:
    """One letter added, left out, replaced, or two neighbours swapped; in a short word only the last."""
    if len(form) < _SHORTEST_TYPO:
        return len(typed) == len(form) and sorted(typed) == sorted(form) and _neighbours(typed, form)
    if abs(len(typed) - len(form)) > 1:
        return False
    head = next(
        (i for i, (a, b) in enumerate(zip(typed, form, strict=False)) if a != b), min(len(typed), len(form))
    )
    rest, aim = typed[head:], form[head:]
    return (
        rest[1:] == aim[1:]
        or rest[1:] == aim
        or rest == aim[1:]
        or (rest[1::-1] + rest[2:] == aim and len(rest) > 1)
    )
