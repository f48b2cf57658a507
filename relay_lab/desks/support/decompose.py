"""Step 2: a model's reading of the message is a proposal; admission decides (001 §2)."""

from functools import cache
from importlib.resources import files

from relay_lab.contracts.issues import Admission
from relay_lab.contracts.proposals import Vocabulary
from relay_lab.contracts.session import Session
from relay_lab.core.admission import admit_issues
from relay_lab.core.guards import STANDING, Guards


def decompose(message: str, answer: str, session: Session, guards: Guards = STANDING) -> Admission:
    """Decide whether the model's `answer` may stand for `message`: all of its issues, or a rejection with code and place."""
    return admit_issues(message, answer, vocabulary(), session, guards)


@cache
def vocabulary() -> Vocabulary:
    """The words that ground the slots of this desk's issues."""
    text = files("relay_lab.desks.support").joinpath("vocabulary.json").read_text(encoding="utf-8")
    return Vocabulary.model_validate_json(text)
