"""Published figures: each stands between two marks in a page, is bound to what it was computed from, and is computed again.

    <!-- evidence: matrix.rows -->56 of 56<!-- /evidence -->

The first word of a figure's name is its source. `docs/evidence.json` keeps what each was bound to when it was written. What
can be computed here is computed again; what cannot (a time) holds as long as the files that it rests on are the same.
"""

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from relay_lab.app.provenance import CHECKOUT, commit_of
from relay_lab.contracts.errors import BadInput

RECORD = Path("docs") / "evidence.json"
_MARKED = re.compile(
    r"(<!-- evidence: ([a-z0-9_-]+\.[a-z0-9_-]+) -->\n?)(.*?)(\n?<!-- /evidence -->)", re.DOTALL
)
_MARK = re.compile(r"<!--[^>]{0,9}\bevidence\b", re.IGNORECASE)
"""Whatever is meant to be a mark, spelt as it may be."""
_VERSION = 1
_EMPTY: dict[str, Any] = {"version": _VERSION, "figures": {}}
_LONGEST = 60
"""Characters of a value that are kept as they are; of a longer one, a table or a page, its hash."""


@dataclass(frozen=True)
class Source:
    """Where the figures of one first word come from.

    `figures` computes them, whole name -> text; None when they cannot be computed again, and `because` says why. `files`
    are patterns of what they rest on, from the top of the checkout; `proposer` is the configuration that proposed.
    """

    files: tuple[str, ...]
    proposer: str = "none"
    figures: Callable[[], Mapping[str, str]] | None = None
    because: str = ""


@dataclass(frozen=True)
class Binding:
    """What a figure was computed from: on top of which commit, which files (their hash), who proposed."""

    commit: str
    dataset: str
    proposer: str


@dataclass(frozen=True)
class Figure:
    """One published figure. `holds` is null when nothing was verified; `detail` says what was compared or is wrong."""

    id: str
    value: str
    binding: Binding | None
    holds: bool | None
    detail: str


@dataclass(frozen=True)
class Evidence:
    """Every published figure, in the order of the pages."""

    figures: tuple[Figure, ...]

    @property
    def stale(self) -> tuple[Figure, ...]:
        """The figures that do not hold."""
        return tuple(figure for figure in self.figures if figure.holds is False)

    def to_dict(self) -> dict[str, Any]:
        """The document of `relay-lab evidence --json`."""
        return {"figures": [asdict(figure) for figure in self.figures]}


class Pages:
    """The pages of a checkout with the figures in them, and the record of what each was bound to.

    Raises `BadInput` where there is no checkout, and for a record that cannot be read.
    """

    def __init__(self, sources: Mapping[str, Source], root: Path | None = None) -> None:
        self.sources, self.root = sources, root or CHECKOUT
        if not (self.root / "docs").is_dir() or not (self.root / "README.md").is_file():
            raise BadInput("figures are published in README.md and docs/: run this from a checkout.")
        beside = set(self.root.glob("*.md")) - {self.root / "README.md"}
        files = [self.root / "README.md", *sorted(beside), *sorted((self.root / "docs").rglob("*.md"))]
        self._texts = {file: self._text(file) for file in files}

    def published(self) -> dict[str, str]:
        """Each figure as it stands, by name. Raises `BadInput` for one that says two things, and for a mark that marks none."""
        found: dict[str, str] = {}
        for file, text in self._texts.items():
            self._only_whole_marks(file, text)
            for _, name, value, _ in _MARKED.findall(text):
                if found.setdefault(name, value) != value:
                    raise BadInput(f"{file.name} publishes {name} with another value than the page before.")
        return found

    def evidence(self, verify: bool, say: Callable[[str], None] = lambda _: None) -> Evidence:
        """Every published figure with its binding; `verify` computes again what can be, and `say` hears of which source."""
        published, record = self.published(), self._record()
        now: dict[str, str] = {}
        for name in (
            sorted({each.split(".")[0] for each in published} & self.sources.keys()) if verify else ()
        ):
            say(name)
            compute = self.sources[name].figures
            now |= compute() if compute else {}
        figures = [
            self._figure(name, value, record.get(name), now, verify) for name, value in published.items()
        ]
        gone = sorted(record.keys() - published.keys())
        return Evidence((*figures, *(Figure(name, "", None, False, "no page publishes it") for name in gone)))

    def write(self, only: Sequence[str] = ()) -> None:
        """Compute the figures again, those of the sources `only` or all, and write them into the pages and the record."""
        published, record = self.published(), self._record()
        for name, source in self.sources.items():
            if only and name not in only:
                continue
            mine = {each: text for each, text in published.items() if each.split(".")[0] == name}
            fresh = source.figures() if source.figures and mine else mine
            for each in mine:
                published[each] = fresh.get(each, mine[each])
                record[each] = _digest(published[each]), self._binding(source)
        for file, text in self._texts.items():
            self._texts[file] = _MARKED.sub(lambda found: f"{found[1]}{published[found[2]]}{found[4]}", text)
            if self._texts[file] != text:
                file.write_text(self._texts[file], "utf-8")
        entries = {
            name: {"value": record[name][0], **asdict(record[name][1])}
            for name in sorted(published.keys() & record)
        }
        document = {"version": _VERSION, "figures": entries}
        (self.root / RECORD).write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", "utf-8")

    def _text(self, file: Path) -> str:
        try:
            return file.read_text("utf-8")
        except (OSError, UnicodeError) as error:
            name = file.relative_to(self.root).as_posix()
            raise BadInput(
                f"{name} cannot be read ({type(error).__name__}); a page is a file in UTF-8."
            ) from error

    def _only_whole_marks(self, file: Path, text: str) -> None:
        """Raises `BadInput` for what looks like a mark to who reads the source, and is none here."""
        rest = _MARKED.sub(
            lambda found: found[3] + "\n" * (found[0].count("\n") - found[3].count("\n")), text
        )
        stray = _MARK.search(rest)
        if stray:
            name, line = file.relative_to(self.root).as_posix(), rest.count("\n", 0, stray.start()) + 1
            raise BadInput(
                f"{name}, line {line}: {stray[0]!r} marks no figure; write <!-- evidence: source.name -->…<!-- /evidence -->."
            )

    def _figure(
        self,
        name: str,
        value: str,
        recorded: tuple[str, Binding] | None,
        now: Mapping[str, str],
        verify: bool,
    ) -> Figure:
        shown, source = _digest(value), self.sources.get(name.split(".")[0])
        if recorded is None or source is None:
            known = name.split(".")[0]
            missing = (
                "it has no source"
                if source is None
                else f"it is not in {RECORD}: --write {known} computes it"
            )
            return Figure(name, shown, None, False, missing)
        written, binding = recorded
        if written != shown:
            return Figure(
                name, shown, binding, False, f"the page says something else than was computed: {written}"
            )
        if not verify:
            return Figure(name, shown, binding, None, "not verified")
        if binding.proposer != source.proposer:
            return Figure(name, shown, binding, False, f"its source proposes with {source.proposer}")
        if source.figures is None:
            same = self._binding(source).dataset == binding.dataset
            rests = "the files it rests on are " + ("the same" if same else "others by now")
            return Figure(name, shown, binding, same, f"not computed again ({source.because}); {rests}")
        if name not in now:
            return Figure(name, shown, binding, False, "its source does not give it any more")
        if now[name] != value:
            return Figure(name, shown, binding, False, f"it is {_digest(now[name])} now")
        same = self._binding(source).dataset == binding.dataset
        rests = "computed again" if same else "computed again, and from other files than it is bound to"
        return Figure(name, shown, binding, same, rests)

    def _binding(self, source: Source) -> Binding:
        digest = hashlib.sha256()
        for file in sorted({file for pattern in source.files for file in self.root.glob(pattern)}):
            digest.update(f"{file.relative_to(self.root).as_posix()}\0".encode() + file.read_bytes() + b"\0")
        return Binding(commit_of(self.root), digest.hexdigest(), source.proposer)

    def _record(self) -> dict[str, tuple[str, Binding]]:
        file = self.root / RECORD
        try:
            document: Any = (
                json.loads(file.read_text("utf-8"), object_pairs_hook=_once) if file.exists() else _EMPTY
            )
            if type(document["version"]) is not int or document["version"] != _VERSION:
                raise BadInput(
                    f"{RECORD} is of version {document['version']}, not {_VERSION}; write it anew."
                )
            return {
                name: (entry["value"], Binding(entry["commit"], entry["dataset"], entry["proposer"]))
                for name, entry in document["figures"].items()
            }
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise BadInput(f"{RECORD} cannot be read ({type(error).__name__}); write it anew.") from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of which each name stands once: of two, a reader would see one and this program the other."""
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a name stands twice")
    return dict(pairs)


def _digest(value: str) -> str:
    if len(value) <= _LONGEST and "\n" not in value:
        return value
    return f"sha256:{hashlib.sha256(value.encode()).hexdigest()}"
