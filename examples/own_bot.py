"""Somebody's bot, put through the failure rows: a plain tool loop, and three functions around it.

Run it from this folder: relay-lab matrix --workflow own_bot:Bot --only N2 --only N3
"""

import json
from datetime import timedelta

from relay_lab.contracts.workflow import Turn

WORDS = {"bill": "get_billing_transactions", "human": "hand_off", "specialist": "hand_off"}


def think(message, seen):  # the bot's model: the next call, or what to say. Yours may be a real one
    words = message.lower()
    for word, tool in WORDS.items():
        if word in words and tool not in seen:
            return tool, message
    said = ["Which plan would you like to move to?"] if "smaller plan" in words else []
    cents = [charge["amount_cents"] for charge in values(seen.get(WORDS["bill"], {}), "transaction")]
    if len(set(cents)) < len(cents):
        said.append("You were charged twice; that is eligible for a refund.")
    return None, " ".join(said) or "Is there anything else?"


def values(result, kind):
    return [record["value"] for record in result.get("records", []) if record["value"]["kind"] == kind]


class Bot:
    def __init__(self, company):  # all it is given: session, tools, a model, a memory, the clock, `call`
        self.company, self.memory = company, company.memory
        self.me, self.tenant = company.session.authenticated_customer_id, company.session.tenant_id

    def call(self, tool, text):  # what a tool needs besides the model's words
        if tool == "hand_off":
            packet = {"conversation_id": "C-1", "issue_id": "I1", "reason": "asked", "customer_id": self.me,
                      "assurance": self.company.session.session_assurance, "proposed_action": None,
                      "scopes": [], "issues": [], "evidence": [], "completed_calls": [], "conflicts": [],
                      "commitments": [text]}  # fmt: skip
            return self.company.call(tool, {"idempotency_key": "ticket-1", "packet": packet})
        now = self.company.now()
        window = {"from_at": (now - timedelta(92)).isoformat(), "until_at": now.isoformat()}
        return self.company.call(tool, {"customer_id": self.me} | (window if "billing" in tool else {}))

    def say(self, message):  # the loop: ask the model, make its call, until it has something to say
        seen = {}
        while True:
            tool, text = think(message, seen)
            if tool is None:
                return Turn(reply=text)
            seen[tool] = self.call(tool, text)

    def click(self, click):  # nothing is changed before a click; whether it still holds is not asked
        if click.do == "pick":
            return self.offer(click.value)
        if click.do == "confirm" and click.value and click.value == self.memory.get("offer"):
            return self.told(self.company.call("schedule_downgrade", json.loads(click.value)))
        if click.do == "reconcile" and "offer" in self.memory:
            key = json.loads(self.memory["offer"])["idempotency_key"]
            return self.told(self.company.call("find_schedule", {"idempotency_key": key}))
        return self.say(f"A specialist, please: {click.value}.") if click.do == "transfer" else None

    def offer(self, plan):
        records = self.call("get_plan_and_entitlements", plan)
        [mine], [account] = values(records, "subscription"), values(records, "account")
        change = {"tenant_id": self.tenant, "runtime_customer_id": self.me, "target_plan": plan,
                  "designated_seat_id": account["owner_seat_id"], "effective_at": mine["renews_at"],
                  "renewal_cycle_id": mine["cycle_id"], "policy_version": "any", "quote_id": "Q-1",
                  "expected_subscription_version": mine["subscription_version"], "confirmation_id": "C-1",
                  "idempotency_key": f"{self.tenant}:{self.me}:{mine['cycle_id']}:I3:Q-1"}  # fmt: skip
        self.memory["offer"] = json.dumps(change)
        return Turn(reply=f"Move to {plan} at the renewal?", offer=self.memory["offer"])

    def told(self, answer):  # done is what a receipt shows; silence is neither yes nor no
        sure = {"accepted": "Your move to the smaller plan is scheduled.", "refused": "It was refused."}
        return Turn(reply=sure.get(answer["kind"], "I do not know yet whether the change was made."))

    def states(self):
        return None  # it keeps no books of issues
