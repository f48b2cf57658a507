"""Sixteen processes on one company's file at once."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

# One process imports everything and then divides: forking from a test worker, which has threads, is not safe.
CROWD = """
import json, os, sys
from datetime import datetime
from pathlib import Path
from relay_lab.world.clock import VirtualClock
from relay_lab.world.company import Company
from relay_lab.world.data import load_fixture

path, jobs = Path(sys.argv[1]), json.loads(sys.argv[2])
scenario = load_fixture()
Company.create(path, scenario.data, VirtualClock(scenario.now)).close()
held, go = os.pipe()
pipes = []
for job in jobs:
    mine, answer = os.pipe()
    if os.fork() == 0:
        os.close(go)
        clock = VirtualClock(datetime.fromisoformat(job["now"]))
        os.read(held, 1)  # until every process has been made
        company = Company.open(path, clock)
        answers = [
            company.subscriptions.schedule(job["envelope"]["idempotency_key"], job["envelope"]).model_dump(mode="json")
            for _ in range(job["times"])
        ]
        version = company.subscriptions.get("CUST-1042")[0].value.subscription_version
        company.close()
        os.write(answer, json.dumps({"answers": answers, "version": version}).encode())
        os._exit(0)
    os.close(answer)
    pipes.append(mine)
os.close(go)
told = [json.loads(os.fdopen(pipe).read()) for pipe in pipes]
company = Company.open(path, VirtualClock(scenario.now))
print(json.dumps({
    "told": told, "mutations": company.mutations(),
    "journal": [[row.operation, row.cause] for row in company.journal()],
    "schedules": len(company.tables()["schedules"]),
}))
"""


@pytest.fixture
def crowd(tmp_path: Path) -> Any:
    def run(jobs: list[dict[str, Any]]) -> dict[str, Any]:
        command = [sys.executable, "-c", CROWD, str(tmp_path / "relay.world"), json.dumps(jobs)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        result: dict[str, Any] = json.loads(done.stdout)
        return result

    return run


NOW, AFTER = "2026-09-10T10:00:00+00:00", "2026-09-11T10:00:00+00:00"


def test_sixteen_processes_with_one_envelope_make_one_schedule_and_hear_one_receipt(
    lab: Any, crowd: Any
) -> None:
    result = crowd([{"now": NOW, "envelope": lab.envelope(), "times": 3}] * 16)
    receipts = {json.dumps(answer, sort_keys=True) for told in result["told"] for answer in told["answers"]}
    assert len(receipts) == 1
    assert json.loads(receipts.pop())["receipt"]["receipt_id"] == "SCH-000001"
    assert (result["mutations"], result["schedules"]) == (1, 1)


@pytest.mark.slow
def test_sixteen_keys_for_one_cycle_make_one_schedule(lab: Any, crowd: Any) -> None:
    result = crowd(
        [{"now": NOW, "envelope": lab.envelope(quote_id=f"DG-1042-v{n}"), "times": 1} for n in range(1, 17)]
    )
    told = [told["answers"][0] for told in result["told"]]
    assert [answer["kind"] for answer in told].count("accepted") == 1
    assert [answer.get("code") for answer in told].count("already_scheduled") == 15
    assert (result["mutations"], result["schedules"]) == (1, 1)


@pytest.mark.slow
def test_sixteen_processes_at_the_renewal_renew_once(lab: Any, crowd: Any) -> None:
    result = crowd([{"now": AFTER, "envelope": lab.envelope(), "times": 1}] * 16)
    assert {told["answers"][0]["code"] for told in result["told"]} == {"version_conflict"}
    assert {told["version"] for told in result["told"]} == {18}
    assert result["journal"] == [["renew", "clock"]]
