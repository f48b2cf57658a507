"""The operation table: in which order operations are told."""

from core.desk import Desk

from relay_lab.core import operations


def test_operations_of_one_instant_are_told_in_the_order_of_their_numbers(desk: Desk) -> None:
    """Under a clock that stands still the ninth quote comes before the tenth."""
    operation = desk.shipped()
    for number in (10, 9):
        later = operation.model_copy(update={"idempotency_key": f"{operation.idempotency_key}-v{number}"})
        with desk.store.transaction() as tx:
            operations.insert(tx, later, desk.clock.now())
    with desk.store.transaction() as tx:
        keys = [each.idempotency_key for each in operations.of_conversation(tx, desk.context)]
    first = operation.idempotency_key
    assert keys == [first, f"{first}-v9", f"{first}-v10"]
