"""Row F7 as it is written: the same envelope twice in turn, and from sixteen processes at once."""

import json
import subprocess
import sys

import pytest

from relay_lab import open_lab

# One process imports everything and then divides: forking from a test worker, which has threads, is not safe.
CROWD = """
import json, os, sys
from relay_lab import open_lab
from relay_lab.app.matrix_acts import act_of_the_desk
from relay_lab.app.matrix_kinds import DeliverAgain

db, quote_id, challenge = sys.argv[1:]
twice = DeliverAgain(do="deliver_again", in_turn=2)
held, go = os.pipe()
pipes = []
for _ in range(16):
    mine, answer = os.pipe()
    if os.fork() == 0:
        os.close(go)
        os.read(held, 1)  # until every process has been made
        with open_lab(db=db) as lab:
            states = lab.confirm_with(quote_id, challenge).states
            told = act_of_the_desk(lab, twice, {})
        os.write(answer, json.dumps({"states": states, "told": told}).encode())
        os._exit(0)
    os.close(answer)
    pipes.append(mine)
os.close(go)
print(json.dumps([json.loads(os.fdopen(pipe).read()) for pipe in pipes]))
"""


@pytest.mark.slow
def test_f7_sixteen_processes_that_deliver_one_envelope_twice_each_make_one_change_and_get_one_answer(
    tmp_path,
):
    """One schedule id, one mutation, the same answer for all thirty-two deliveries, and every process says scheduled."""
    db = tmp_path / "f7.db"
    with open_lab(db=db) as lab:
        lab.say(lab.scenario.message)
        lab.choose("individual")
        [quote_id] = lab.waiting
        challenge = lab.runtime.show(lab.context, quote_id)
    command = [sys.executable, "-c", CROWD, str(db), quote_id, challenge]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert {one["states"]["I3"] for one in told} == {"scheduled"}
    answers = {answer for one in told for answer in one["told"]}
    assert len(answers) == 1 and json.loads(answers.pop())["receipt"]["receipt_id"] == "SCH-000001"
    with open_lab(db=db) as lab:
        assert (lab.company.mutations(), len(lab.company.tables()["schedules"])) == (1, 1)
