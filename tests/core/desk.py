"""A tiny desk with a vocabulary of its own: it keeps notes in the runtime's tables and has parcels shipped by a carrier."""

from collections.abc import Mapping
from datetime import timedelta
from itertools import count
from typing import Any

from core.carrier import Carrier
from core.tools import SCOPES, Note, Offer, Parcel, note_of, parcel_of, tools
from core.watched import Clock, Rows, Watched

from relay_lab.contracts.base import Scalar, digest
from relay_lab.contracts.enums import Assurance, ProposalState
from relay_lab.contracts.errors import AuditUnavailable
from relay_lab.contracts.evidence import ReadAnswer, ReadError, ReadSuccess
from relay_lab.contracts.operations import Answered, CallResult, Confirmed, Operation, Performed, Proposal
from relay_lab.contracts.ports import Points, ReadTools, Store, Tx
from relay_lab.contracts.session import Context, Session
from relay_lab.core import audit
from relay_lab.core.confirmation import Grant
from relay_lab.core.guards import STANDING, Guards
from relay_lab.core.policy import Facts
from relay_lab.core.runtime import Runtime, nowhere
from relay_lab.store.runtime_store import open_store

LIFE_S = 600


def context(
    customer: str | None = "CUST-1",
    tenant: str = "acme",
    conversation: str = "C-1",
    run: str = "RUN-1",
    **session: Any,
) -> Context:
    """A conversation of a verified customer who may do everything, unless `session` says otherwise."""
    given: dict[str, Any] = {"session_assurance": Assurance.RECENT_MFA, "allowed_scopes": SCOPES} | session
    return Context(
        session=Session(authenticated_customer_id=customer, tenant_id=tenant, **given),
        conversation_id=conversation,
        run_id=run,
    )


def performed(result: object) -> Operation:
    """The operation of a call that went out."""
    assert isinstance(result, Performed), result
    return result.operation


class Desk:
    """A runtime with that desk's tools. `world` is what a recheck of `ship` reads: each value decides one check.

    `broken` names the audit stages, or stage and outcome (`revalidation:passed`), that the audit store refuses; `peek`
    holds what the next reads answer instead of a success, `reads` for whom each one was made.
    """

    def __init__(
        self,
        *,
        guards: Guards = STANDING,
        points: Points = nowhere,
        store: Store | None = None,
        forgetful: bool = False,
    ) -> None:
        self.clock, self.trace = Clock(), Rows()
        self._inner = store or open_store(None)
        self.store = Watched(self._inner, self.clock)
        self.carrier, self.pager = (
            Carrier(self.store, forgetful=forgetful),
            Carrier(self.store, forgetful=forgetful),
        )
        self.context = context()
        self.world: dict[str, Any] = {"week": 1, "depot": "open", "limit": 20}
        self.broken: set[str] = set()
        self.peek: list[ReadError] = []
        self.reads: list[tuple[str, str, str]] = []
        self._secrets = count(1)
        self.registry = tools(self.carrier, self.pager, self._facts)
        self.guards, self.points = guards, points
        self.runtime = self.restart()

    def __enter__(self) -> "Desk":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the store, if it is the desk's own."""
        if hasattr(self._inner, "close"):
            self._inner.close()

    def restart(self) -> Runtime:
        """Another process: a runtime that knows nothing but what is in the tables."""
        self.runtime = Runtime(
            self.store,
            self.registry,
            self,
            self.clock,
            self.trace,
            lambda: f"secret-{next(self._secrets):04d}",
            guards=self.guards,
            points=self.points,
            append=self._append,
        )
        return self.runtime

    # -- what a person and a step do -----------------------------------------------------------------------------------

    def note(
        self, name: str = "N1", text: str = "hello", *, key: str = "K-1", at: Context | None = None
    ) -> CallResult:
        """Keep a note: a local write."""
        at = at or self.context
        customer = str(at.session.authenticated_customer_id)
        return self.runtime.call(at, "note", Note(customer_id=customer, name=name, text=text), key)

    def offer(
        self, subject: str = "S1", tool: str = "offer_parcel", at: Context | None = None, **terms: Any
    ) -> str:
        """Prepare a proposal, which then waits for a person; its id."""
        at = at or self.context
        expires_at = self.clock.now() + timedelta(seconds=LIFE_S)
        customer, tenant = str(at.session.authenticated_customer_id), at.session.tenant_id
        asked = Offer(
            customer_id=customer, tenant_id=tenant, subject_id=subject, expires_at=expires_at, **terms
        )
        result = self.runtime.call(at, tool, asked, f"{tool}:{subject}:{next(self._secrets)}")
        assert isinstance(result, Answered), result
        assert isinstance(result.answer["proposal_id"], str), "a proposal is in flight"
        return result.answer["proposal_id"]

    def grant(self, proposal_id: str, at: Context | None = None) -> Grant:
        """Show a proposal, and click on Confirm."""
        at = at or self.context
        challenge = self.runtime.show(at, proposal_id)
        exchange = self.runtime.exchange(at, proposal_id, challenge or "")
        assert isinstance(exchange, Confirmed), exchange
        return Grant(proposal_id, exchange.token)

    def parcel(self, proposal_id: str, at: Context | None = None) -> Parcel:
        """What `ship` has to be asked for under this proposal."""
        return parcel_of(self.proposal(proposal_id, at))

    def ship(
        self, grant: Grant, at: Context | None = None, key: str | None = None, **changed: Any
    ) -> CallResult:
        """Run a confirmed proposal, perhaps with changed arguments."""
        at = at or self.context
        asked = self.parcel(grant.proposal_id, at).model_copy(update=changed)
        return self.runtime.call(at, "ship", asked, key or f"ship:{grant.proposal_id}", grant)

    def erase(self, grant: Grant, **changed: Any) -> CallResult:
        """Run a confirmed erasure: a local write."""
        asked = note_of(self.proposal(grant.proposal_id)).model_copy(update=changed)
        return self.runtime.call(self.context, "erase", asked, f"erase:{grant.proposal_id}", grant)

    def shipped(self, **changed: Any) -> Operation:
        """Offer, confirm and ship; what is known of it."""
        return performed(self.ship(self.grant(self.offer()), **changed))

    def reconcile(self, operation: Operation, at: Context | None = None) -> Operation:
        """Settle what is not known."""
        settled = self.runtime.reconcile(at or self.context, operation.idempotency_key)
        assert settled is not None
        return settled

    # -- what is left of it --------------------------------------------------------------------------------------------

    def proposal(self, proposal_id: str, at: Context | None = None) -> Proposal:
        """A proposal as it is stored."""
        return next(p for p in self.runtime.standing(at or self.context)[0] if p.proposal_id == proposal_id)

    def state(self, proposal_id: str) -> tuple[ProposalState, str | None]:
        """Where a proposal stands, and why."""
        proposal = self.proposal(proposal_id)
        return proposal.state, proposal.reason

    def challenge(self, proposal_id: str) -> str:
        """What a page would hold, put into the tables behind the runtime's back: nothing counts as shown."""
        challenge = f"challenge of {proposal_id} {next(self._secrets)}"
        self.run(
            "INSERT INTO challenge SELECT ?, tenant_id, customer_id, proposal_id FROM proposal WHERE proposal_id = ?",
            digest(challenge),
            proposal_id,
        )
        return challenge

    def rows(self, sql: str, *parameters: Any) -> list[dict[str, Any]]:
        """Rows of the tables."""
        with self._inner.transaction() as tx:
            return tx.rows(sql, *parameters)

    def run(self, sql: str, *parameters: Any) -> int:
        """Reach into the tables behind the runtime's back."""
        with self._inner.transaction() as tx:
            return tx.run(sql, *parameters)

    def notes(self) -> dict[str, str]:
        """The notes kept, by owner and name."""
        return {row["name"]: row["value"] for row in self.rows("SELECT * FROM setting ORDER BY name")}

    def stopped_by(self) -> str | None:
        """The guard that the last decision row of the trace names."""
        return [row for row in self.trace.rows if row.kind == "decision"][-1].guard

    # -- the desk's own parts ------------------------------------------------------------------------------------------

    def read(
        self, tool: str, tenant_id: str, customer_id: str, arguments: Mapping[str, Scalar], timeout_s: float
    ) -> ReadAnswer:
        """The systems of record, for reading."""
        self.store.must_be_closed()
        self.reads.append((tool, tenant_id, customer_id))
        if self.peek:
            return self.peek.pop(0)
        return ReadSuccess(tool=tool, source_at=self.clock.now(), records=())

    def _append(self, tx: Tx, event: audit.AuditEvent) -> None:
        if self.broken & {event.stage, f"{event.stage}:{event.outcome}"}:
            raise AuditUnavailable("the audit store is down.")
        audit.append(tx, event)

    def _facts(self, tools: ReadTools, proposal: Proposal) -> Facts | None:
        parcel_of(proposal)  # a desk reads the payload to know what to look up; another tool's cannot be read
        return self.world if isinstance(tools.read("peek", {}, 5.0), ReadSuccess) else None
