"""Two right versions of step 7, written on their own."""

import json

from relay_lab.contracts.change import Envelope
from relay_lab.contracts.operations import Operation
from relay_lab.contracts.ports import WriteTools
from relay_lab.contracts.steps import ExecutionOrder, Failures


def field_by_field(order: ExecutionOrder, tools: WriteTools) -> Operation | Failures:
    """The envelope put together from the order, one field after the other."""
    quote = order.quote
    return tools.schedule_downgrade(
        Envelope(
            tenant_id=order.tenant_id,
            runtime_customer_id=order.customer_id,
            target_plan=quote.terms.target_plan,
            designated_seat_id=quote.terms.designated_seat_id,
            effective_at=quote.terms.effective_at,
            renewal_cycle_id=quote.terms.renewal_cycle_id,
            expected_subscription_version=quote.terms.subscription_version,
            quote_id=quote.quote_id,
            confirmation_id=order.confirmation_id,
            policy_version=quote.terms.policy_version,
            idempotency_key=f"{order.tenant_id}:{order.customer_id}:{quote.terms.renewal_cycle_id}"
            f":{quote.issue_id}:{quote.quote_id}",
        )
    )


_FROM_TERMS = {
    "target_plan": "target_plan",
    "designated_seat_id": "designated_seat_id",
    "effective_at": "effective_at",
    "renewal_cycle_id": "renewal_cycle_id",
    "expected_subscription_version": "subscription_version",
    "policy_version": "policy_version",
}


def by_a_map(order: ExecutionOrder, tools: WriteTools) -> Operation | Failures:
    """The terms renamed by a map, the rest added, the whole validated as JSON."""
    terms = json.loads(order.quote.terms.model_dump_json())
    fields = {name: terms[source] for name, source in _FROM_TERMS.items()}
    fields["tenant_id"], fields["runtime_customer_id"] = order.tenant_id, order.customer_id
    fields["quote_id"], fields["confirmation_id"] = order.quote.quote_id, order.confirmation_id
    key = [
        order.tenant_id,
        order.customer_id,
        terms["renewal_cycle_id"],
        order.quote.issue_id,
        order.quote.quote_id,
    ]
    fields["idempotency_key"] = ":".join(key)
    answer = tools.schedule_downgrade(Envelope.model_validate_json(json.dumps(fields)))
    return answer if isinstance(answer, Operation) else tuple(answer)
