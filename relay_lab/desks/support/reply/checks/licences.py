"""The grammar of what may be said: for each verb and claiming noun, in which mood, beside which nouns, on what condition.

A line reads: head, mood, condition, nouns that may stand in the clause. What has no line is refused.
"""

from dataclasses import dataclass
from functools import cache

from relay_lab.desks.support.reply.checks.wordlist import words

FORMS = """
find: find finds found see sees saw
show: show shows
confirm: confirm confirms confirming
reverse: reversed
refund_done: refunded
eligible: eligible qualifies qualify
due: due
settled: settled
submit: submit submitted request requested start started initiated issued processed processing paid credited filed
submit: completed complete executed approved done
move: move moves switch downgrade cancel upgrade moved switched downgraded cancelled canceled upgraded changed change changes
pass: pass passed transfer transferred send sent hand handed forwarded escalated
include: include includes
end: end ends ended
affect: affect affects
match: match matches
want: want wants like prefer wish
choose: choose pick select chose
mean: mean
need: need needs
know: know say tell
prove: prove explain establish
ask: ask asks asking
check: check review
verify: verify
read: read
try: try
write: write
help: help
take: take takes took
stay: stay stays remain remains
active: active
charged: charged
lose: lose loses
keep: keep kept retained
open: open valid
expire: expires expired
void: void withdrawn
recorded: recorded
scheduled: scheduled
schedule: schedule
renew: renews renewed
cost: cost costs
disagree: disagree conflict
agree: agree
outdated: outdated
allow: allow
offer: offer
prepare: prepare
outside: outside
be:
have:
"""

LICENCES = """
be        said      valued            price ticket plan quote charge excess incident refund policy record invoice change month
be        denied    no_refund_now     refund
be        offered   quote_pending     price refund month
have      said      has_things        charge excess access invoice account plan beta feature
have      denied    forbidden         permission record! change policy! incident plan feature billing
have      denied    no_access         access feature account plan
have      unsure    not_known         access feature
find      said      always            charge excess incident record policy force time change account billing
find      denied    not_known         seat price record plan policy change feature account
find      supposed  always
find      said_you  always
show      said      record_speaks     record charge excess refund access account beta
show      pledged   always            price seat feature start quote change plan time
show      offered   always            price seat feature start quote change plan time
confirm   said      record_speaks     record charge excess refund
confirm   supposed  always            quote change confirmation
confirm   offered   always            quote change confirmation
confirm   denied    always            quote change confirmation
reverse   said      excess_reversed   charge excess
reverse   denied    not_reversed      charge excess
refund_done  said   excess_refunded   charge excess
refund_done  denied not_refunded      charge excess
eligible  said      refund_eligible   policy charge excess refund! flow!
eligible  denied    refund_ineligible policy charge excess refund! flow!
eligible  unsure    not_known         policy charge excess refund! flow!
due       said      invoice_due       invoice charge excess
settled   said      charges_settled   charge invoice
settled   denied    charges_unsettled charge invoice
submit    denied    nothing_done      refund charge change request confirmation quote plan cancellation
submit    offered   refund_offer      refund flow specialist
move      denied    nothing_done      plan account price feature
move      offered   choice_open       plan account
move      said      voided_by         plan price policy
pass      offered   may_transfer      question request record specialist person plan ticket
pass      said      handed_off        question request record specialist person plan ticket feature
pass      denied    not_handed_off    question request record specialist person plan ticket feature
include   said      feature_included  plan account feature
include   denied    feature_excluded  plan account feature
include   unsure    feature_asked     plan account feature
end       said      ended             beta access! seat
end       offered   seats_end         access! seat
affect    said      incident_known    incident feature
affect    unsure    not_known         incident feature
match     supposed  always            record
want      supposed  always            seat plan refund change feature
want      offered   always            plan refund seat quote change feature
want      said_you  always            plan change seat quote
choose    offered   always            plan seat price month quote feature
choose    supposed  always            plan seat quote
choose    said      voided_by         plan seat
mean      said_you  always            feature plan change
mean      offered   always            change seat plan feature
need      said      specialist_needed specialist person change cancellation plan question request sign feature
need      said_you  always
know      denied    always
know      offered   always            feature plan seat
prove     denied    always            cause change
ask       said      question_asked    message question
ask       supposed  always            quote change confirmation
check     pledged   always            record plan account feature
check     offered   always            record plan account feature
verify    denied    unverified        sign account
read      denied    not_read          record! policy! message plan feature change incident billing account
read      offered   always            record policy
try       offered   always            message
write     offered   always            word message
help      offered   always            plan feature change
help      denied    outside_service   question request
take      denied    not_taken         message confirmation
take      said      scheduled         change effect
take      offered   quote_pending     change effect
charged   said      excess_found      invoice
charged   unsure    not_known         invoice
active    said      is_active         incident beta seat feature
stay      said      stays             account plan seat
stay      pledged   stays             account plan seat
stay      offered   stays             seat plan account
lose      offered   features_lost     feature
lose      denied    none_lost         seat access! feature
keep      offered   data_kept         data
keep      pledged   data_kept         data
keep      denied    data_not_kept     data
open      said      quote_pending     quote
expire    said      quote_ends        quote
void      said      quote_void        quote
recorded  unsure    outcome_unknown   change plan
recorded  denied    not_recorded      change
scheduled said      scheduled         change plan schedule
scheduled denied    not_scheduled     change
schedule  offered   quote_pending     change
renew     said      renews            plan account
cost      said      offered_price     plan month
cost      offered   offered_price     plan month
disagree  said      conflicting       record plan feature account incident policy change billing
agree     denied    conflicting       record policy
outdated  said      stale             record plan feature account incident policy change billing
allow     denied    not_allowed       account terms change
offer     denied    no_offer          confirmation
prepare   offered   choice_open       quote
outside   said      outside_service   service question request
"""

CLAIMING = """
charge    said      charges_settled
charge    denied    no_charges
excess    said      excess_found
excess    denied    no_excess
excess    unsure    not_known
refund    denied    no_refund
refund    offered   refund_offer
refund    supposed  refund_offer
incident  said      incident_active
incident  denied    incident_none
incident  unsure    not_known
access    said      has_access
access    past      had_access
access    denied    no_access
access    unsure    not_known
record    denied    not_known
policy    denied    not_known
"""

TOPICS = {
    "billing_duplicate": "charge excess refund reverse refund_done eligible due settled invoice",
    "feature_access": "incident include affect access beta",
    "subscription_change": (
        "renew scheduled schedule recorded lose keep open expire void seat quote renewal effect data move cost choose"
    ),
}
"""The concepts that belong to one type of issue. A few are shared: an `immediate refund` and `access` belong to a quote too."""

SHARED = {
    ("refund", "subscription_change"), ("access", "subscription_change"), ("include", "subscription_change"),
    ("keep", "billing_duplicate"),
}  # fmt: skip

EFFECTS = words("submit move pass scheduled schedule recorded refund_done reverse refund take")
"""Heads whose false assertion calls something done that is not."""


@dataclass(frozen=True)
class Licence:
    """One line: the condition, and the nouns of the clause -> whether they are only mentioned (`!`)."""

    condition: str
    nouns: dict[str, bool]


@cache
def forms() -> dict[str, str]:
    """Surface -> head."""
    lines = (line.partition(":") for line in FORMS.split("\n") if line)
    return {surface: head for head, _, surfaces in lines for surface in surfaces.split()}


@cache
def licences() -> dict[tuple[str, str], tuple[Licence, ...]]:
    """(head, mood) -> the licences that may apply; any one of them is enough."""
    table: dict[tuple[str, str], tuple[Licence, ...]] = {}
    for line in LICENCES.strip().split("\n"):
        head, mood, condition, *nouns = line.split()
        licence = Licence(condition, {noun.rstrip("!"): noun.endswith("!") for noun in nouns})
        table[head, mood] = (*table.get((head, mood), ()), licence)
    return table


@cache
def claiming() -> dict[tuple[str, str], str]:
    """(claiming noun, mood) -> condition."""
    lines = (line.split() for line in CLAIMING.strip().split("\n"))
    return {(noun, mood): condition for noun, mood, condition in lines}


@cache
def claiming_nouns() -> frozenset[str]:
    """The nouns whose mention claims that the thing is there, or is not."""
    return frozenset(noun for noun, _ in claiming())


@cache
def topics() -> dict[str, str]:
    """Concept -> the one type of issue it belongs to."""
    return {concept: kind for kind, concepts in TOPICS.items() for concept in concepts.split()}
