"""Any draft of a reply, ours or a model's, held against ledger and states. What cannot be accounted for is refused (001 §5)."""

from collections.abc import Iterator

from relay_lab.contracts.ledger import LedgerRow
from relay_lab.contracts.record import ProposedReply, Sentence
from relay_lab.desks.support.reply.checks.binding import ungrounded
from relay_lab.desks.support.reply.checks.characters import refused_character
from relay_lab.desks.support.reply.checks.clauses import Clause, sentences
from relay_lab.desks.support.reply.checks.duties import Said, unaddressed
from relay_lab.desks.support.reply.checks.grammar import EPISTEMIC, Reading
from relay_lab.desks.support.reply.checks.grounds import Ground, ground
from relay_lab.desks.support.reply.checks.judge import unlicensed
from relay_lab.desks.support.reply.checks.lexicon import COMPOUNDS, COURTESY
from relay_lab.desks.support.reply.checks.reading import read
from relay_lab.desks.support.reply.checks.scene import Scene
from relay_lab.desks.support.reply.checks.tokens import Token, tokenize
from relay_lab.desks.support.reply.checks.values import read_values
from relay_lab.desks.support.reply.checks.wordlist import words
from relay_lab.desks.support.reply.checks.words import refused_words
from relay_lab.desks.support.reply.ids import presentable
from relay_lab.desks.support.reply.material import RefusalCode, RefusedDraft, ReplyMaterial, Verdict, Verified

GRAVEST: tuple[RefusalCode, ...] = (
    "forbidden_content",
    "not_english",
    "unknown_claim",
    "early_completion",
    "promise",
    "blocked_claim_as_fact",
    "foreign_claim",
    "ungrounded_amount",
    "ungrounded_date",
    "ungrounded_id",
    "ungrounded_plan",
    "ungrounded_feature",
    "ungrounded_number",
    "unsupported_fact",
)
"""The codes of a sentence, gravest first: the one that is given."""

UNKNOWING = words("know prove confirm read find have offer agree")
LONGEST_DRAFT = 20_000
LONGEST_SENTENCE = 1_000
MOST_SENTENCES = 200
SHORTEST = 3
"""Words of a sentence that states something."""


def verify(draft: ProposedReply, material: ReplyMaterial) -> Verdict:
    """Accept a draft only if every clause of every sentence is licensed by the claims that the sentence cites.

    A sentence cites claims of one issue; each amount, date, number, id, plan and feature in it must be a value of those
    claims or of their evidence, in the role in which it is used; a verb or a claiming noun needs a licence for its mood
    (stated, denied, offered, left open), and what has no licence is refused. Every issue must be given what its state owes.
    Gives `Verified`, or `RefusedDraft` with a code and a place that holds no word of the draft. Source: 001 §5 to §7.
    """
    if not draft.sentences or any(not sentence.text.strip() for sentence in draft.sentences):
        return RefusedDraft(code="empty", sentence_index=None, place="sentences")
    length = sum(len(sentence.text) for sentence in draft.sentences)
    if length > LONGEST_DRAFT or len(draft.sentences) > MOST_SENTENCES:
        return RefusedDraft(code="forbidden_content", sentence_index=None, place="sentences")
    said: dict[str, Said] = {}
    checker = _Checker(material)
    for index, sentence in enumerate(draft.sentences):
        code = checker.refuse(sentence, said)
        if code is not None:
            return RefusedDraft(code=code, sentence_index=index, place=f"sentences[{index}]")
    missing = unaddressed(material, said)
    if missing is not None:
        return RefusedDraft(code="issue_unaddressed", sentence_index=None, place=f"issues.{missing}")
    return Verified()


class _Checker:
    """The sentences of one draft, one at a time."""

    def __init__(self, material: ReplyMaterial) -> None:
        self._material = material
        self._rows = {row.claim_id: row for row in material.ledger.rows}
        self._ids = frozenset(_ids(material))
        self._currencies = frozenset(_currencies(material))

    def refuse(self, sentence: Sentence, said: dict[str, Said]) -> RefusalCode | None:
        """The gravest reason against a sentence, or None, and then what it said is counted in."""
        ids = dict.fromkeys(sentence.claim_ids)
        cited = tuple(self._rows[name] for name in ids if name in self._rows)
        text = self._without_tax_terms(sentence.text, cited)
        character = refused_character(text)
        if character is not None or len(sentence.text) > LONGEST_SENTENCE:
            return character or "forbidden_content"
        if not text.strip():
            return "unsupported_fact"
        pieces = list(tokenize(text, self._ids, self._material.display_zone))
        tokens = read_values(_joined(pieces), self._currencies)
        codes = set(refused_words(tokens))
        if not (text.lstrip("\u201c\"'(")[:1].isupper() or text[:1].isdigit() or tokens[0].kind == "id"):
            codes.add("unsupported_fact")
        if len(cited) != len(ids):
            codes.add("unknown_claim")
        if not _of_one_issue(cited, self._material):
            codes.add("foreign_claim")
        elif cited or codes or not _courtesy(tokens):
            codes |= self._clauses(tokens, ground(self._material, cited), said)
        return min(codes, key=GRAVEST.index, default=None)

    def _clauses(self, tokens: list[Token], held: Ground, said: dict[str, Said]) -> set[RefusalCode]:
        clauses = sentences(tokens)
        if clauses is None:
            return {"unsupported_fact"}
        readings = list(_readings(clauses))
        codes: set[RefusalCode] = set()
        if any(sum(len(clause.tokens) for clause in part) < SHORTEST for part in clauses):
            codes.add("unsupported_fact")
        for reading, after in zip(readings, [*readings[1:], None], strict=True):
            following = after.clause.lead if after else ""
            codes |= {*ungrounded(reading, held), *unlicensed(Scene(reading, held, following))}
        if held.blocked and not any(_qualifies(reading) for reading in readings):
            codes.add("blocked_claim_as_fact")
        fact = bool(held.blocked) or any(row.claim.predicate != "issue_state" for row in held.rows)
        if held.view is not None and not codes:
            for reading in readings:
                said.setdefault(held.view.issue.id, Said()).add(reading, fact)
        return codes

    def _without_tax_terms(self, text: str, cited: tuple[LedgerRow, ...]) -> str:
        """The tax terms of a quote whose price is cited are shown as the catalogue has them, between brackets."""
        priced = {row.claim.subject for row in cited if row.claim.predicate == "quote_price_cents"}
        for quote in self._material.quotes:
            if quote.quote_id in priced and presentable(quote.terms.tax_terms):
                text = text.replace(f" ({quote.terms.tax_terms})", "", 1)
        return text


def _of_one_issue(cited: tuple[LedgerRow, ...], material: ReplyMaterial) -> bool:
    """Whether the claims are all of one issue, and of one that this reply speaks of."""
    issues = {row.issue_id for row in cited}
    return not issues or (len(issues) == 1 and material.view(next(iter(issues))) is not None)


def _readings(parts: list[list[Clause]]) -> Iterator[Reading]:
    for clauses in parts:
        before: tuple[Reading, ...] = ()
        for clause in clauses:
            reading = read(clause, bool(before) and _leaves_open(before[-1]))
            reading.before = before
            yield reading
            before = (*before, reading)


def _leaves_open(reading: Reading) -> bool:
    return any((head.name, head.mood) in EPISTEMIC for head in reading.heads)


def _qualifies(reading: Reading) -> bool:
    """Whether the clause says that something is not known, or why."""
    return any(
        (head.name in UNKNOWING and head.mood in ("denied", "unable"))
        or head.name in ("disagree", "outdated")
        for head in reading.heads
    )


def _courtesy(tokens: list[Token]) -> bool:
    return all(token.text in COURTESY if token.kind == "word" else token.kind == "mark" for token in tokens)


def _joined(tokens: list[Token]) -> list[Token]:
    """The tokens with the words that belong together as one ("out of date" is one predicate)."""
    joined: list[Token] = []
    for token in tokens:
        joined.append(token)
        for parts, whole in COMPOUNDS.items():
            if tuple(one.text for one in joined[-len(parts) :]) == parts:
                joined[-len(parts) :] = [Token("word", whole)]
    return joined


def _ids(material: ReplyMaterial) -> Iterator[str]:
    for row in material.ledger.rows:
        yield from (row.claim.subject, *row.evidence_ids)
        if isinstance(row.claim.value, str):
            yield row.claim.value
        if row.policy_version is not None:
            yield row.policy_version
    for quote in material.quotes:
        yield from (
            quote.quote_id,
            *quote.terms.seats_kept,
            *quote.terms.seats_ended,
            quote.terms.designated_seat_id,
        )
    yield from (record.evidence_id for record in material.evidence)
    yield from (ticket for _, ticket in material.tickets)


def _currencies(material: ReplyMaterial) -> Iterator[str]:
    for row in material.ledger.rows:
        if row.claim.predicate in ("currency", "quote_currency") and isinstance(row.claim.value, str):
            yield row.claim.value
    for record in material.evidence:
        if record.value.kind == "plan_price":
            yield record.value.currency
