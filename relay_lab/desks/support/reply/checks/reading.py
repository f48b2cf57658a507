"""How a clause is read: which words are its verbs, what they are said of, in which mood, and what is named beside them."""

from dataclasses import replace

from relay_lab.desks.support.reply.checks.clauses import PREDICATES, Clause, verb
from relay_lab.desks.support.reply.checks.grammar import Head, Noun, Reading
from relay_lab.desks.support.reply.checks.lexicon import (
    ADJECTIVES,
    ADVERBS,
    AUXILIARY,
    BE,
    DO,
    FIRST_PERSON,
    FRAMING,
    HAVE,
    INABILITY,
    MODAL,
    NEGATORS,
    NOUNS,
    PAST,
    PAST_VERBS,
    PRESENT_BE,
    PRONOUNS,
)
from relay_lab.desks.support.reply.checks.wordlist import words

SUPPOSING = words("if once until before when")
DEFINITE = words("your the this that these those its their")
RELATIVE = words("that which who what")
ASKING = words("which what who how where")


def read(clause: Clause, unsure: bool) -> Reading:
    """Read one clause. `unsure` says that the clause before leaves open what a `whether` here introduces."""
    reader = _Reader(clause, unsure)
    return reader.read()


class _Reader:
    def __init__(self, clause: Clause, unsure: bool) -> None:
        self._clause, self._unsure = clause, unsure
        self._words = [token.text if token.kind == "word" else "" for token in clause.tokens]
        self._used: set[int] = set()
        self._denied_nouns: set[int] = set()
        self._shared = 0
        self._reading = Reading(clause)

    def read(self) -> Reading:
        reading = self._reading
        for at in range(len(self._words)):
            name = verb(self._clause.tokens, at)
            if name is not None and not (self._words[at] in PREDICATES and not self._predicate(at)):
                reading.heads.append(self._head(at, name))
        for at, word in enumerate(self._words):
            if at not in self._used and word in BE | HAVE:
                reading.heads.append(self._head(at, "be" if word in BE else "have"))
        reading.heads = _inherited(sorted(reading.heads, key=lambda head: head.at))
        self._questions()
        reading.verbal = frozenset(at for at in self._used if self._words[at] not in ("no", "nothing"))
        self._no()
        reading.nouns = [noun for at in range(len(self._words)) for noun in self._noun(at)]
        reading.past = self._past()
        finite = sum(not head.infinitive for head in reading.heads) - self._shared
        negations = sum(word in NEGATORS for word in self._words)
        left = {at for at, word in enumerate(self._words) if word in AUXILIARY | NEGATORS} - self._used
        reading.loose = finite != 1 or bool(left) or negations > 1
        return reading

    def _past(self) -> bool:
        main = {head.at for head in self._reading.heads}
        perfect = any(word in HAVE and at not in main for at, word in enumerate(self._words))
        simple = any(
            self._words[at] in PAST_VERBS
            or (self._words[at].endswith("ed") and not PRESENT_BE & set(self._words))
            for at in main
        )
        return perfect or simple or bool(PAST & set(self._words))

    def _predicate(self, at: int) -> bool:
        chain, _, _ = self._chain(at)
        return any(self._words[index] in BE | HAVE for index in chain)

    def _chain(self, at: int) -> tuple[list[int], int, bool]:
        """Auxiliaries, negations and adverbs in front of a verb; where they stop; whether the verb shares them with another."""
        chain: list[int] = []
        left, shared = at - 1, False
        while left >= 0:
            word = self._words[left]
            if word in AUXILIARY or word in ADVERBS or word in ("not", "cannot"):
                chain.append(left)
            elif word in ("and", "or") and left and self._words[left - 1].endswith("ed"):
                left, shared = left - 1, True
            elif not (word in PRONOUNS and left and self._words[left - 1] in AUXILIARY and not chain):
                break
            left -= 1
        return chain, left, shared

    def _head(self, at: int, name: str) -> Head:
        chain, left, shared = self._chain(at)
        self._shared += shared
        words = {self._words[index] for index in chain}
        negated = bool(words & {"not", "cannot"}) or self._negative_subject(left)
        if name in ("be", "have") and at + 1 < len(self._words) and self._words[at + 1] == "not":
            negated = True
            self._used.add(at + 1)
        self._used |= {at, *chain}
        self._reading.groups.append((tuple(self._words[index] for index in reversed(chain)), self._words[at]))
        infinitive = left >= 0 and self._words[left] == "to"
        mood = self._mood(at, left, words, negated, infinitive)
        return Head(at, name, mood, self._subject(at, left), infinitive)

    def _subject(self, at: int, left: int) -> str:
        inside = [word for word in self._words[max(left, 0) : at] if word in PRONOUNS]
        if inside:
            return "i" if inside[-1] in FIRST_PERSON else "you" if inside[-1] == "you" else "it"
        return "" if left < 0 or self._words[left] in ("please", "") else "it"

    def _negative_subject(self, left: int) -> bool:
        if left >= 0 and self._words[left] == "nothing":
            self._used.add(left)
            return True
        at = left
        while at >= 0 and self._nominal(at):
            at -= 1
        if 0 <= at < left and self._words[at] == "no":
            self._used.add(at)
            self._denied_nouns |= set(range(at, left + 1))
            return True
        return False

    def _mood(self, at: int, left: int, words: set[str], negated: bool, infinitive: bool) -> str:
        lead, tokens = self._clause.lead, self._clause.tokens
        if infinitive:
            return "denied" if negated else "offered"
        if lead == "whether" or (lead == "if" and self._unsure):
            return "unsure" if self._unsure and not negated else "loose"
        if words & {"will", "shall"}:
            return "loose" if negated else "pledged"
        if lead in SUPPOSING and tokens[0].text in PRONOUNS:
            return "supposed"
        if self._words[at].endswith("ing"):
            return "supposed" if left >= 0 and self._words[left] == "before" else "said"
        if negated:
            return "unable" if words & INABILITY else "denied"
        if words & MODAL:
            return "offered"
        return self._indicative(at, left, words)

    def _indicative(self, at: int, left: int, words: set[str]) -> str:
        word = self._words[at]
        subject = self._words[left] if left >= 0 else ""
        base = not word.endswith(("s", "ed")) and word not in AUXILIARY and not words & AUXILIARY
        alone = left < 0 or subject == "please" or self._clause.tokens[left].text == "|"
        if base and alone and self._clause.lead not in RELATIVE:
            return "offered"
        asks = self._clause.lead in ASKING or self._clause.question
        inverted = left >= 0 and words & DO
        return "said_you" if asks and (subject == "you" or inverted or "you" in self._words[:at]) else "said"

    def _questions(self) -> None:
        """`Do you want…`: the auxiliary in front belongs to the question."""
        if (
            self._words
            and self._words[0] in DO | MODAL
            and len(self._words) > 1
            and self._words[1] in PRONOUNS
        ):
            self._used.add(0)

    def _no(self) -> None:
        for at, word in enumerate(self._words):
            if word == "no" and at not in self._used:
                end = at + 1
                while end < len(self._words) and self._nominal(end):
                    end += 1
                if any(self._words[index] in NOUNS for index in range(at + 1, end)):
                    self._used.add(at)
                    self._denied_nouns |= set(range(at, end))

    def _nominal(self, at: int) -> bool:
        """Whether the word may stand inside a noun phrase, after its determiner."""
        named = self._clause.tokens[at].kind in ("plan", "feature")
        return named or self._words[at] in NOUNS or self._words[at] in ADJECTIVES

    def _noun(self, at: int) -> list[Noun]:
        token = self._clause.tokens[at]
        if token.kind in ("plan", "feature"):
            return [Noun(at, "plan_name" if token.kind == "plan" else "feature", self._noun_mood(at))]
        concept = NOUNS.get(self._words[at])
        place = at + 1
        while (
            place + 1 < len(self._words)
            and self._words[place] in ADJECTIVES
            and self._words[place] not in FRAMING
        ):
            place += 1
        following = self._words[place] if place < len(self._words) else ""
        if concept is None or at in self._used or self._names_a_kind(at, concept, following):
            return []
        before = self._words[at - 1] if at else ""
        reference = concept == "charge" and before in ("this", "these")
        negated = at in self._denied_nouns and any(head.at < at for head in self._reading.heads)
        return [Noun(at, concept, self._noun_mood(at), reference, negated, before in DEFINITE)]

    def _names_a_kind(self, at: int, concept: str, following: str) -> bool:
        previous = NOUNS.get(self._words[at - 1]) if at else None
        return following in FRAMING or (concept == "charge" and previous == "excess")

    def _noun_mood(self, at: int) -> str:
        if at in self._denied_nouns:
            return "denied"
        before = [head for head in self._reading.heads if head.at < at]
        if not before:
            moods = {head.mood for head in self._reading.heads}
            effect = any(
                head.name in ("submit", "requested") and head.mood == "denied" for head in self._reading.heads
            )
            return "unsure" if "unsure" in moods else "denied" if effect else "said"
        return before[-1].mood


def _inherited(heads: list[Head]) -> list[Head]:
    """An infinitive has the subject of the verb it depends on, and is denied with it ("no permission to read")."""
    done: list[Head] = []
    for head in heads:
        depends = head.infinitive and bool(done)
        denied = depends and (head.mood == "denied" or done[-1].mood in ("denied", "unable"))
        mood, subject = "denied" if denied else head.mood, done[-1].subject if depends else head.subject
        done.append(replace(head, mood=mood, subject=subject))
    return done
