"""JUnit XML for a CI: one suite of tests, whatever each of them was."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from relay_lab.contracts.errors import BadInput


@dataclass(frozen=True)
class Case:
    """One test. `failure` is a sentence and `detail` what was seen of it; `skipped` says why it was not tried."""

    classname: str
    name: str
    failure: str | None = None
    detail: str = ""
    skipped: str | None = None


def suite(name: str, cases: Sequence[Case], about: str | None = None) -> str:
    """The tests as one suite; `about` stands in it as a comment."""
    root = ElementTree.Element(
        "testsuite",
        name=name,
        tests=str(len(cases)),
        failures=str(sum(case.failure is not None for case in cases)),
        skipped=str(sum(case.skipped is not None for case in cases)),
    )
    if about is not None:
        root.append(ElementTree.Comment(f" {about} "))
    for case in cases:
        test = ElementTree.SubElement(
            root, "testcase", classname=f"relay_lab.{case.classname}", name=_legible(case.name)
        )
        if case.failure is not None:
            failure = ElementTree.SubElement(test, "failure", message=_legible(case.failure))
            failure.text = _legible(case.detail or case.failure)
        elif case.skipped is not None:
            ElementTree.SubElement(test, "skipped", message=_legible(case.skipped))
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def write(file: Path, text: str | None) -> None:
    """Write a report; None only sees that it could be, before the work. Raises `BadInput` when it cannot."""
    try:
        with file.open("a" if text is None else "w", encoding="utf-8") as opened:
            opened.write(text or "")
    except OSError as error:
        raise BadInput(f"{file} cannot be written ({error.strerror}); name another file.") from error


def _legible(text: str) -> str:
    """Without the characters that XML cannot hold, however they are escaped."""
    return "".join(letter if letter.isprintable() or letter in "\n\t" else "\ufffd" for letter in text)
