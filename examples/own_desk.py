"""A function of your own behind the same core: risk, confirmation, one effect for each key, receipt, audit.

Run it: python examples/own_desk.py DESK.db "A new name"
"""

import sys
from datetime import datetime, timedelta
from pathlib import Path
from secrets import token_urlsafe

from relay_lab.app.trace import TraceList
from relay_lab.contracts.base import Contract, Ident, Utc, fingerprint
from relay_lab.contracts.enums import Assurance
from relay_lab.contracts.operations import CallResult
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


def rename_workspace(tx, context, new):  # yours: it knows nothing of risk, keys or confirmations
    tx.run("INSERT INTO workspace VALUES (?, '', 0) ON CONFLICT DO NOTHING", new.workspace_id)
    tx.run("UPDATE workspace SET name = ?, renames = renames + 1 WHERE id = ?", new.name, new.workspace_id)
    return {"workspace_id": new.workspace_id, "name": new.name}


def draft(offer):
    return Draft("rename_workspace", offer.rename.workspace_id, lambda _id, _version: offer.rename,
                 fingerprint(offer.rename), offer.expires_at, "RN-{}".format, "CNF-{}".format)  # fmt: skip


RENAMING = LocalWrite(rename_workspace, compile=lambda proposal: Rename.model_validate_json(proposal.payload))
SCOPE, MFA = "workspace:write", Assurance.RECENT_MFA
OFFERING = Tool("offer_rename", 1, Offer, SCOPE, MFA, write=Preparation(draft))
TOOL = Tool("rename_workspace", 2, Rename, SCOPE, MFA, revalidatable=True, write=RENAMING)
OWNER = Session(authenticated_customer_id="C", session_assurance=MFA, tenant_id="T", allowed_scopes=(SCOPE,))
HERE = Context(session=OWNER, conversation_id="C-1", run_id="C-1:1")
START = datetime.fromisoformat("2026-09-10T10:00:00Z")


class Desk:
    def __init__(self, db: Path, points=nowhere, clock=None, here=HERE):
        self.store, self.clock, self.here = open_store(db), clock or VirtualClock(START), here
        tools = {tool.name: tool for tool in (OFFERING, TOOL)}
        self.runtime = Runtime(self.store, tools, None, self.clock, TraceList(), token_urlsafe, points=points)
        with self.store.transaction() as tx:
            tx.run("CREATE TABLE IF NOT EXISTS workspace (id TEXT PRIMARY KEY, name TEXT, renames INTEGER)")

    def offer(self, rename: Rename) -> str:  # changes nothing; the same again, until another name is set
        with self.store.transaction() as tx:
            now = tx.one("SELECT * FROM workspace WHERE id = ?", rename.workspace_id) or {"renames": 0}
        key = f"offer-{now['renames'] + (now.get('name') != rename.name)}-{fingerprint(rename)[:16]}"
        offer = Offer(rename=rename, expires_at=self.clock.now() + timedelta(minutes=5))
        told = self.runtime.call(self.here, "offer_rename", offer, key)
        return told.answer["proposal_id"] if told.kind == "answered" else ""

    def confirm(self, offer_id: str, rename: Rename) -> CallResult:  # a click: challenge, token, one effect
        exchange = self.runtime.exchange(self.here, offer_id, self.runtime.show(self.here, offer_id) or "")
        grant = Grant(offer_id, getattr(exchange, "token", ""))
        return self.runtime.call(self.here, "rename_workspace", rename, f"rename-{offer_id}", grant)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    wanted, desk = Rename(workspace_id="W-1", name=sys.argv[2]), Desk(Path(sys.argv[1]))
    print(answer := desk.confirm(desk.offer(wanted), wanted))  # noqa: T201
    sys.exit(answer.kind != "answered")
