"""A function of your own behind the same core: risk, confirmation, one effect for each key, receipt, audit.

    python examples/own_desk.py DESK.db "A new name"
"""

import secrets
import sys
from datetime import datetime, timedelta
from pathlib import Path

from relay_lab.app.trace import TraceList
from relay_lab.contracts.base import Contract, Ident, Utc, fingerprint
from relay_lab.contracts.enums import Assurance
from relay_lab.contracts.operations import Answered
from relay_lab.contracts.session import Context, Session
from relay_lab.core.confirmation import Grant
from relay_lab.core.policy import Draft, LocalWrite, Preparation, Tool
from relay_lab.core.runtime import Runtime, nowhere
from relay_lab.store.runtime_store import open_store
from relay_lab.world.clock import VirtualClock


class Rename(Contract):  # what is confirmed, exactly
    workspace_id: Ident
    name: str


class Offer(Contract):  # what is proposed, and until when
    rename: Rename
    expires_at: Utc


def rename_workspace(tx, context, asked):  # yours: it knows nothing of risk, keys or confirmations
    tx.run("CREATE TABLE IF NOT EXISTS workspace (id TEXT PRIMARY KEY, name TEXT, renames INTEGER)")
    tx.run("INSERT INTO workspace VALUES (?, '', 0) ON CONFLICT DO NOTHING", asked.workspace_id)
    tx.run("UPDATE workspace SET name = ?, renames = renames + 1 WHERE id = ?", asked.name, asked.workspace_id)
    return {"workspace_id": asked.workspace_id, "name": asked.name}


def draft(offer):
    return Draft("rename_workspace", offer.rename.workspace_id, lambda _id, _version: offer.rename,
                 fingerprint(offer.rename), offer.expires_at, "RN-{}".format, "CNF-{}".format)  # fmt: skip


RENAMING = LocalWrite(rename_workspace, compile=lambda proposal: Rename.model_validate_json(proposal.payload))
SCOPE, MFA = "workspace:write", Assurance.RECENT_MFA
TOOLS = [
    Tool("offer_rename", 1, Offer, SCOPE, MFA, write=Preparation(draft)),
    Tool("rename_workspace", 2, Rename, SCOPE, MFA, revalidatable=True, write=RENAMING),
]
OWNER = Session(authenticated_customer_id="CUST-1", session_assurance=MFA, tenant_id="acme", allowed_scopes=(SCOPE,))
HERE = Context(session=OWNER, conversation_id="C-1", run_id="C-1:1")


class Desk:
    def __init__(self, db: Path, points=nowhere, clock=None):
        self.store, self.clock = open_store(db), clock or VirtualClock(datetime.fromisoformat("2026-09-10T10:00:00Z"))
        tools = {tool.name: tool for tool in TOOLS}
        self.runtime = Runtime(
            self.store, tools, None, self.clock, TraceList(), secrets.token_urlsafe, points=points
        )

    def offer(self, rename: Rename) -> str:  # changes nothing; asking again gives the same offer
        offer = Offer(rename=rename, expires_at=self.clock.now() + timedelta(minutes=5))
        return self.runtime.call(HERE, "offer_rename", offer, f"offer-{fingerprint(rename)[:16]}").answer["proposal_id"]

    def confirm(self, offer_id: str, rename: Rename) -> Answered:  # a click: the challenge for a token, the token for one effect
        exchange = self.runtime.exchange(HERE, offer_id, self.runtime.show(HERE, offer_id) or "")
        grant = Grant(offer_id, getattr(exchange, "token", ""))
        return self.runtime.call(HERE, "rename_workspace", rename, f"rename-{offer_id}", grant)


if __name__ == "__main__":
    wanted = Rename(workspace_id="W-1", name=sys.argv[2])
    desk = Desk(Path(sys.argv[1]))
    print(desk.confirm(desk.offer(wanted), wanted))  # noqa: T201
