"""From words to classes: exact forms, phrases, stems, and a word one slip away from a form."""

from collections.abc import Collection, Iterable, Sequence
from functools import cached_property

from relay_lab.proposers.rules.tokens import COMMA, NUMBER, WORD, Token, fold

_Phrase = tuple[tuple[str, ...], str]
Spellings = Sequence[dict[int, str]]
"""Tables from letters to what is written for them."""
_SHORTEST_TYPO = 5
_SHORTEST_SWAP = 4
"""Two letters swapped are also known again in a word of four letters that no slot rests on."""
_LONGEST_TYPO = 20


class Lexicon:
    """The forms of one language. Classes named `group:value` also count as their group."""

    def __init__(
        self,
        classes: dict[str, list[str]],
        literals: Iterable[str],
        real_words: Collection[str],
        spellings: Spellings = (),
        apostrophes: Iterable[str] = (),
    ) -> None:
        """`classes`: name -> forms (`@other` includes a class, `stem*` a prefix); `literals`: words that patterns name;
        `spellings`: other ways to write letters; `apostrophes`: the endings that an apostrophe sets apart from a word."""
        self._spellings = spellings
        self._written = {fold(word) for word in real_words}
        self._endings = frozenset(fold(ending) for ending in apostrophes)
        self._phrases: dict[str, list[_Phrase]] = {}
        self._stems: dict[str, list[str]] = {}
        self._words: dict[str, int] = {}
        """Each word and its rank: what the data file names first is the likelier meaning of a slip."""
        for name in classes:
            for form in _forms(classes, name):
                self._add(name, form)
        for word in literals:
            self._add(f"={word}", word.replace("_", " "))
        self._real = self._words.keys() | {way for word in real_words for way in self._ways(fold(word))}
        self._valued = {
            word for name in classes if ":" in name for form in _forms(classes, name) for word in form.split()
        }
        self._corrected: dict[str, str] = {}

    @cached_property
    def _deletions(self) -> dict[str, list[str]]:
        return _deletions(
            word for word in self._words if len(word) >= _SHORTEST_TYPO or word not in self._valued
        )

    def _add(self, name: str, form: str) -> None:
        for way in self._ways(form):
            if way.endswith("*"):
                self._stems.setdefault(fold(way[:-1]), []).append(name)
                continue
            words = tuple(way.split()) if way != way.lower() else tuple(fold(way).split())
            self._phrases.setdefault(words[0], []).append((words, name))
            for word in words:
                if word == word.lower():
                    self._words.setdefault(word, len(self._words))

    def _ways(self, form: str) -> list[str]:
        """The form, and as it is written where a keyboard lacks the language's letters, unless that is another word."""
        if form.isascii():
            return [form]
        ways = dict.fromkeys(form.translate(table) for table in self._spellings)
        return list(dict.fromkeys([form, *(way for way in ways if self._written.isdisjoint(way.split()))]))

    def has(self, word: str) -> bool:
        """Whether the word is of this language exactly as it is written."""
        return word in self._real or self._head(word) in self._real or bool(self._by_stem(word))

    def _head(self, word: str) -> str:
        """The word without an ending that an apostrophe sets apart (`Gantt'ı`)."""
        head, mark, ending = word.partition("'")
        return head if mark and ending in self._endings else word

    def knows(self, token: Token) -> bool:
        """Whether the word is a form, a stem or a real word of this language, exactly or nearly."""
        return (
            token.text.removesuffix("'s") in self._real
            or self._head(token.text) in self._real
            or self.correct(token.text) in self._words
            or bool(self._by_stem(token.text))
        )

    def correct(self, word: str) -> str:
        """The form that `word` is one slip away from (both of five letters or more), else the word itself."""
        plain = word.replace("'", "")
        if word in self._real or plain in self._real or self._by_stem(word):
            return word if word in self._real or plain not in self._real else plain
        if not _SHORTEST_SWAP <= len(plain) <= _LONGEST_TYPO:
            return plain
        if plain not in self._corrected:
            if len(self._corrected) > 20_000:
                self._corrected.clear()
            near = {
                form
                for key in _cuts(plain)
                for form in self._deletions.get(key, ())
                if _one_slip(plain, form)
            }
            self._corrected[plain] = min(
                near, key=lambda form: (sorted(form) != sorted(plain), self._words[form]), default=plain
            )
        return self._corrected[plain]

    def _by_stem(self, word: str) -> list[str]:
        return [n for size in range(3, len(word) + 1) if size <= 24 for n in self._stems.get(word[:size], ())]

    def mark(self, tokens: list[Token]) -> list[dict[str, tuple[int, ...]]]:
        """The classes that begin at each token."""
        read: dict[str, tuple[str, dict[str, tuple[int, ...]], list[_Phrase]]] = {}
        for token in tokens:
            if token.surface not in read:
                read[token.surface] = self._read(token)
        words = [read[token.surface][0] for token in tokens]
        marks: list[dict[str, tuple[int, ...]]] = []
        for index, token in enumerate(tokens):
            _, here, phrases = read[token.surface]
            stand = [(len(p), name) for p, name in phrases if tuple(words[index : index + len(p)]) == p]
            if stand:
                here = dict(here)
                for size, name in stand:
                    _note(here, name, size)
            marks.append(here)
        return marks

    def _read(self, token: Token) -> tuple[str, dict[str, tuple[int, ...]], list[_Phrase]]:
        """The word meant, the classes of the word alone, and the phrases that it may begin."""
        word = self.correct(token.text) if token.text.replace("'", "").isalpha() else token.text
        here: dict[str, tuple[int, ...]] = {}
        if token.kind == NUMBER:
            here["=#"] = (1,)
            if token.surface[0] in "$€£":
                here["money"] = (1,)
        elif token.kind == COMMA:
            here["=,"] = (1,)
        phrases: list[_Phrase] = []
        plain = token.text.replace("'", "")
        bare = self._head(token.text)
        if bare != token.text and not (word in self._words or plain in self._words):
            word = self.correct(bare)
        for key in sorted({word, token.text, plain, bare, token.text.removesuffix("'s"), token.surface}):
            for phrase, name in self._phrases.get(key, ()):
                if len(phrase) == 1:
                    _note(here, name, 1)
                else:
                    phrases.append((phrase, name))
        if token.kind == WORD and word == token.text:
            for name in self._by_stem(token.text):
                _note(here, name, 1)
        return word, here, phrases


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
