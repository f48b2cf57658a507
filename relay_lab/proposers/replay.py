"""A model's recorded answers, given again: the same run, without the model."""

from collections.abc import Iterable
from typing import Any

from relay_lab.contracts.errors import BadInput, ProposerRefused
from relay_lab.contracts.proposals import ProposalRequest
from relay_lab.proposers.prompts import prompt_version
from relay_lab.proposers.recording import Recording, key_of, together


class Replay:
    """A proposer that answers from recordings what was asked in the trial `trial`.

    What nobody has asked before is refused with `not_recorded` and counted in `missing`; a result with a missing answer says
    nothing of the model, and `complain` says how to record it.
    """

    def __init__(self, recordings: Iterable[Recording], trial: int = 0) -> None:
        held = list(recordings)
        self._answers, self._heads = together(held), [(each.head, each.runs[-1:]) for each in held]
        self._trial = trial
        self.missing = 0

    def __call__(self, request: ProposalRequest) -> str:
        """The recorded text. Raises `ProposerRefused` with the recorded code, or with `not_recorded`."""
        given = self._answers.get(key_of(request, prompt_version(), self._trial))
        if given is None:
            self.missing += 1
            raise ProposerRefused("not_recorded", f"{request.task}, trial {self._trial}")
        if given.answer is None:
            raise ProposerRefused(given.refused or "not_recorded")
        return given.answer

    @property
    def binding(self) -> dict[str, Any]:
        """What a result is bound to: what the model was asked with, and when and from what that was recorded."""
        recorded = [
            {"workflow": head.workflow, **head.binding, **(runs[0].run if runs else {})}
            for head, runs in self._heads
        ]
        models = sorted({str(each.get("model", "")) for each in recorded})
        return {"proposer": "replay", "model": ", ".join(models), "recordings": recorded}

    def complain(self) -> None:
        """Raise `BadInput` when an answer was missing."""
        if self.missing:
            raise BadInput(
                f"{self.missing} answers of trial {self._trial} are not recorded (the message, the records or the prompt are"
                " others than those that were); record them: relay-lab record --proposer bundled --out FILE, and give"
                " --proposer replay:FILE."
            )
