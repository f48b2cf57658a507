"""The attack bench: type a text where an attacker could put one, run it, and see which guard stops it, or that nothing does."""

from typing import Any

from relay_lab.app.break_it.bench import PLACES, READERS, Finding, Reader, Trial, Where, examples, try_out
from relay_lab.contracts.errors import BadInput, RelayLabError
from relay_lab.notebook.bench_page import finding_parts, finding_plain
from relay_lab.notebook.broken import GUARDS, opens_without
from relay_lab.notebook.html import page, visible
from relay_lab.notebook.widgets import WHOLE_LABEL, bundle, button, widget_library

_OWN = -1
"""The place of "your own" in the list of examples."""
_NOTHING = ""
_PLACES = {
    "message": "the customer's message",
    "beside a quote": "a message beside a quote that waits",
    "article": "an article",
    "note": "the name of a seat's holder",
    "tool text": "a field of a tool's answer",
    "reading": "a model's raw answer: reading the message",
    "draft": "a model's raw answer: a draft of the reply",
}
_READERS = {
    "rules": "rules",
    "obedient": "a model that obeys the text",
    "overreaching": "one that obeys beyond its types",
}


def attack_bench(
    text: str | None = None,
    where: Where = "message",
    reader: Reader = "rules",
    without: str | None = None,
) -> "AttackBench":
    """A bench for attacks. `text` is put on it and run at once; without one, the first example is.

    `where` is a place of `relay_lab.app.break_it.bench.PLACES`, `reader` one of its READERS, `without` a guard to leave out.
    Nothing that is typed makes it raise. Raises `BadInput` for a place, a reader or a guard that there is not, and when the
    widget library is not installed.
    """
    for name, value, known in (("place", where, PLACES), ("reader", reader, READERS)):
        if value not in known:
            raise BadInput(f"there is no {name} {value!r}; there is {', '.join(known)}.")
    if without is not None and without not in GUARDS:
        raise BadInput(f"there is no guard {without!r}; there is {', '.join(GUARDS)}.")
    return AttackBench(examples()[0].trial if text is None else Trial(text, where, reader), without)


class AttackBench:
    """See `attack_bench`. `trial` is what was run last, and `finding` what came of it."""

    def __init__(self, trial: Trial, without: str | None) -> None:
        w = widget_library()
        wide = {"width": "98%", "max_width": "62rem"}
        self.example = w.Dropdown(
            description="Example",
            options=[("your own", _OWN), *((visible(each.label), at) for at, each in enumerate(examples()))],
            value=_OWN, style=WHOLE_LABEL, layout=wide,
        )  # fmt: skip
        self.text = w.Textarea(description="Text", rows=5, style=WHOLE_LABEL, layout=wide)
        self.where = w.Dropdown(
            description="Where it stands",
            options=[(said, name) for name, said in _PLACES.items()],
            style=WHOLE_LABEL,
            layout={"width": "auto"},
        )
        self.reader = w.Dropdown(
            description="Who reads",
            options=[(said, name) for name, said in _READERS.items()],
            style=WHOLE_LABEL,
            layout={"width": "auto"},
        )
        self.without = w.Dropdown(
            description="Guard left out",
            options=[("none, all stand", _NOTHING), *((name, name) for name in GUARDS)],
            value=without or _NOTHING, style=WHOLE_LABEL,
        )  # fmt: skip
        self.run = button(
            "Run", "Put the text before a desk on a fresh company in memory", self.try_it, "primary"
        )
        self._shown = w.HTML()
        row = w.HBox([self.where, self.reader, self.without, self.run], layout={"flex_flow": "row wrap"})
        self.widget = w.VBox([self.example, self.text, row, self._shown])
        self.widget.add_class("relay-controls")
        self._put(trial)
        self.example.observe(lambda _: self._take_example(), "value")
        self.try_it()

    def try_it(self) -> None:
        """Run what stands in the fields now."""
        self.trial = self._read()
        try:
            self.finding = try_out(self.trial, opens_without(self.without.value or None))
        except RelayLabError as problem:
            self.finding = Finding(refused=str(problem))
        self._shown.value = page(*finding_parts(self.finding))

    def _read(self) -> Trial:
        """The text as it stands; one that is an example's knows what it is after."""
        text, where, reader = str(self.text.value), self.where.value, self.reader.value
        of = next((each.trial for each in examples() if each.trial.text == text), Trial(text))
        return Trial(text, where, reader, of.goal, of.says)

    def _put(self, trial: Trial) -> None:
        self.text.value, self.where.value, self.reader.value = trial.text, trial.where, trial.reader

    def _take_example(self) -> None:
        if self.example.value != _OWN:
            self._put(examples()[self.example.value].trial)
            self.try_it()

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        setting = (
            ("text", self.trial.text),
            ("stands in", _PLACES[self.trial.where]),
            ("read by", _READERS[self.trial.reader]),
            ("guard left out", self.without.value or "none"),
        )
        return bundle(
            self.widget,
            page(*finding_parts(self.finding, setting)),
            finding_plain(self.finding, setting),
        )
