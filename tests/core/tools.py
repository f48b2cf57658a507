"""What the tests' desk can do: read a shelf, keep and erase notes, offer and ship parcels, page a person."""

from collections.abc import Callable

from core.carrier import Carrier

from relay_lab.contracts.base import Contract, Ident, Scalar, Utc, fingerprint
from relay_lab.contracts.enums import Assurance
from relay_lab.contracts.operations import Proposal
from relay_lab.contracts.ports import ReadTools, Tx
from relay_lab.contracts.session import Context
from relay_lab.core.policy import Draft, Facts, LocalWrite, Preparation, Recheck, RemoteWrite, Tool

SCOPES = ("notes:write", "notes:erase", "parcels:offer", "parcels:ship", "shelf:read", "pager:use")


class Nothing(Contract):
    """Arguments of `peek`."""


class Note(Contract):
    """Arguments of `note` and of `erase`."""

    customer_id: Ident
    name: Ident
    text: str = ""


class Parcel(Contract):
    """Arguments of `ship`."""

    customer_id: Ident
    tenant_id: Ident
    offer_id: Ident
    weight: int


class Offer(Contract):
    """Arguments of `offer_parcel` and of `offer_erasure`: what a person is asked to confirm."""

    customer_id: Ident
    tenant_id: Ident
    subject_id: Ident
    expires_at: Utc
    weight: int = 3
    name: Ident = "N1"


class Page(Contract):
    """Arguments of `page`."""

    customer_id: Ident
    issue_id: Ident


def tools(
    carrier: Carrier, pager: Carrier, facts: Callable[[ReadTools, Proposal], Facts | None]
) -> dict[str, Tool]:
    """The registry; `facts` is what the rechecks of `ship` are given."""
    rechecks: dict[str, Recheck] = {
        "week": lambda _, world: world["week"] == 1,
        "depot": lambda _, world: world["depot"] == "open",
        "weight": lambda proposal, world: parcel_of(proposal).weight <= world["limit"],
    }
    ship = RemoteWrite(carrier, ("offer_id", "weight"), parcel_of, facts, rechecks)
    erase = LocalWrite(_erase, note_of, {"kept": _is_kept, "unlocked": _is_unlocked})
    parcels, notes = Preparation(_parcel_draft), Preparation(_erasure_draft)
    mfa, who, where = Assurance.RECENT_MFA, "customer_id", "tenant_id"
    registry = (
        Tool("peek", 0, Nothing, "shelf:read"),
        Tool("note", 1, Note, "notes:write", customer=who, write=LocalWrite(_keep)),
        Tool("offer_parcel", 1, Offer, "parcels:offer", customer=who, tenant=where, write=parcels),
        Tool("offer_erasure", 1, Offer, "notes:erase", customer=who, tenant=where, write=notes),
        Tool("ship", 2, Parcel, "parcels:ship", mfa, who, where, revalidatable=True, write=ship),
        Tool("erase", 2, Note, "notes:erase", mfa, who, revalidatable=True, write=erase),
        Tool("page", 3, Page, "pager:use", Assurance.NONE, who, write=RemoteWrite(pager, ("issue_id",))),
    )
    return {tool.name: tool for tool in registry}


def _keep(tx: Tx, context: Context, note: Contract) -> dict[str, Scalar]:
    """Writes on, so that a second effect shows."""
    assert isinstance(note, Note)
    name = f"{note.customer_id}:{note.name}"
    kept = tx.one("SELECT value FROM setting WHERE name = ?", name)
    text = (kept["value"] if kept else "") + note.text
    tx.run("INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)", name, text)
    return {"length": len(text)}


def _erase(tx: Tx, context: Context, note: Contract) -> dict[str, Scalar]:
    assert isinstance(note, Note)
    return {"erased": tx.run("DELETE FROM setting WHERE name = ?", f"{note.customer_id}:{note.name}")}


def _is_kept(tx: Tx, proposal: Proposal) -> bool:
    name = f"{proposal.customer_id}:{note_of(proposal).name}"
    return tx.one("SELECT value FROM setting WHERE name = ?", name) is not None


def _is_unlocked(tx: Tx, _: Proposal) -> bool:
    return tx.one("SELECT value FROM setting WHERE name = 'lock'") is None


def parcel_of(proposal: Proposal) -> Parcel:
    return Parcel.model_validate_json(proposal.payload)


def note_of(proposal: Proposal) -> Note:
    return Note.model_validate_json(proposal.payload)


def _parcel_draft(asked: Contract) -> Draft:
    assert isinstance(asked, Offer)
    who = {"customer_id": asked.customer_id, "tenant_id": asked.tenant_id}
    return _draft("ship", asked, lambda offer_id: Parcel(**who, offer_id=offer_id, weight=asked.weight))


def _erasure_draft(asked: Contract) -> Draft:
    assert isinstance(asked, Offer)
    return _draft("erase", asked, lambda _: Note(customer_id=asked.customer_id, name=asked.name))


def _draft(tool: str, asked: Offer, payload: Callable[[str], Contract]) -> Draft:
    return Draft(
        tool=tool,
        subject_id=asked.subject_id,
        payload=lambda proposal_id, _: payload(proposal_id),
        change_hash=fingerprint({"tool": tool, "weight": asked.weight, "name": asked.name}),
        expires_at=asked.expires_at,
        proposal_id=lambda number: f"P-{number}",
        confirmation_id=lambda number: f"CNF-{number}",
    )
