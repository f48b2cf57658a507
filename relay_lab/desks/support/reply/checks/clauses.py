"""A sentence cut into clauses: each has a verb, and a piece without one belongs to the clause before it."""

from dataclasses import dataclass

from relay_lab.desks.support.reply.checks.lexicon import AUXILIARY, LEADS, LINKS, NOUNS, PRONOUNS
from relay_lab.desks.support.reply.checks.licences import forms
from relay_lab.desks.support.reply.checks.tokens import Token
from relay_lab.desks.support.reply.checks.wordlist import words

ENDS = frozenset(".?!")
CUT = Token("mark", "|")
EITHER = Token("mark", "/")
"""What stands in a clause for a link to a piece without a verb: `and` or a mark, and `or`."""

PREPOSITIONS = words("until before when once")
VERB_BEFORE = words("to can could would will not cannot nothing please i you we or")
CAUSES = words("so because")
NEEDS_VERB = (LEADS | words("but")) - words("which")
PREDICATES = words("eligible due settled open valid void withdrawn outdated active outside")
"""Adjectives that are a verb's predicate after `be` or `have`, and mere adjectives elsewhere."""


@dataclass(frozen=True)
class Clause:
    """The tokens of a clause, the word that opened it (`if`, `whether`, none), whether it ends in a question mark."""

    tokens: tuple[Token, ...]
    lead: str
    question: bool


def sentences(tokens: list[Token]) -> list[list[Clause]] | None:
    """The clauses of each sentence in the text; None when one has no verb or no end: nobody can say what it states."""
    found: list[list[Clause]] = []
    pieces: list[tuple[str, list[Token]]] = [("", [])]
    for at, token in enumerate(tokens):
        if token.kind == "mark" and token.text in ENDS:
            clauses = _clauses(pieces, token.text == "?")
            if clauses is None:
                return None
            found.append(clauses)
            pieces = [("", [])]
        elif opens(tokens, at):
            # `so that` and `because if` stay what their first word makes them.
            opener, piece = pieces[-1]
            first = opener if not piece and opener in CAUSES else token.text
            pieces = [*pieces[:-1], (first, [])] if not piece else [*pieces, (first, [])]
        elif token.kind == "mark":
            pieces.append(("", []))
        elif token.kind == "word" and token.text in LINKS and not _coordinates(tokens, at):
            pieces = (
                [*pieces[:-1], (token.text, [])]
                if not pieces[-1][0] and not pieces[-1][1]
                else [*pieces, (token.text, [])]
            )
        else:
            pieces[-1][1].append(token)
    return found if found and not any(piece for _, piece in pieces) else None


def opens(tokens: list[Token], at: int) -> bool:
    """Whether the word opens a clause of its own: `until you confirm` does, `until then` does not."""
    token, following = tokens[at], tokens[at + 1] if at + 1 < len(tokens) else CUT
    if token.kind != "word" or token.text not in LEADS or (token.text, following.text) == ("so", "far"):
        return False
    if token.text == "that" and (following.text in NOUNS or (at > 0 and tokens[at - 1].text in LEADS)):
        return False
    return token.text not in PREPOSITIONS or (
        following.kind == "word" and following.text in PRONOUNS - {"then"}
    )


def verb(tokens: tuple[Token, ...] | list[Token], at: int) -> str | None:
    """The head that the word is a form of, where it stands as a verb or a predicate."""
    token = tokens[at]
    before = tokens[at - 1].text if at else ""
    head = forms().get(token.text) if token.kind == "word" else None
    if head is None or (token.text in NOUNS and before not in VERB_BEFORE):
        return None
    return head


def _coordinates(tokens: list[Token], at: int) -> bool:
    """Whether `or` stands between two participles that share their auxiliaries ("not reversed or refunded")."""
    if at == 0 or at + 1 >= len(tokens):
        return False
    left, right = tokens[at - 1], tokens[at + 1]
    return all(
        one.kind == "word" and one.text in forms() and one.text.endswith("ed") for one in (left, right)
    )


def _clauses(pieces: list[tuple[str, list[Token]]], question: bool) -> list[Clause] | None:
    merged: list[tuple[str, list[Token]]] = []
    waiting: list[Token] = []
    for opener, piece in pieces:
        lead = "" if opener in LINKS else opener
        if _has_verb(piece):
            merged.append((lead, [*waiting, *piece]))
            waiting = []
        elif opener in NEEDS_VERB or (opener and not piece):
            return None
        elif piece and merged:
            merged[-1][1].extend([EITHER if opener == "or" else CUT, *piece])
        elif piece:
            waiting += [*piece, CUT]
    if not merged or waiting:
        return None
    return [Clause(tuple(piece), lead, question) for lead, piece in merged]


def _has_verb(piece: list[Token]) -> bool:
    return any(
        token.kind == "word"
        and (token.text in AUXILIARY or token.text == "cannot" or verb(piece, at) is not None)
        for at, token in enumerate(piece)
    )
