"""Step 7: one authorized action, once (001 §7)."""

from relay_lab.contracts.operations import Operation
from relay_lab.contracts.ports import WriteTools
from relay_lab.contracts.steps import ExecutionOrder, Failures
from relay_lab.desks.support.terms import envelope


def execute(order: ExecutionOrder, tools: WriteTools) -> Operation | Failures:
    """Submit the confirmed quote under its own key, and once: what is not known afterwards is reconciled, not repeated."""
    return tools.schedule_downgrade(envelope(order.tenant_id, order.quote, order.confirmation_id))
