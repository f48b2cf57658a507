"""How the mutants are shown: tables for people, JUnit XML for a CI that names a broken boundary."""

from collections.abc import Iterable, Mapping

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from relay_lab.app.fitted import Fitted, Grid
from relay_lab.app.guard_lines import LineResult
from relay_lab.app.junit import Case, suite
from relay_lab.app.mutants import MutantResult, MutantsReport


def tables(report: MutantsReport) -> RenderableType:
    """How many mutants of each target were caught, what escaped, and the table of lines."""
    caught = sum(each.caught for each in report.mutants)
    right = sum(each.passed for each in report.variants)
    escaped = [each for each in report.mutants if not each.caught]
    failed = [each for each in report.variants if not each.passed]
    return Group(
        _counts(report),
        *[Text(_escape(each), style="red") for each in escaped],
        *[Text(f"{each.id} is right and was failed", style="red") for each in failed],
        *([_lines(report.guards)] if report.guards else []),
        Text(_summary(caught, len(report.mutants), right, len(report.variants))),
    )


def _counts(report: MutantsReport) -> Table:
    grid = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in ("target", "mutants", "caught", "right versions", "passed"):
        grid.add_column(column)
    for target in dict.fromkeys(
        [each.target for each in report.mutants] + [each.step for each in report.variants]
    ):
        mutants = [each for each in report.mutants if each.target == target]
        variants = [each for each in report.variants if each.step == target]
        caught, passed = sum(each.caught for each in mutants), sum(each.passed for each in variants)
        right = (str(len(variants)), str(passed)) if variants else ("", "")
        style = "" if caught == len(mutants) and passed == len(variants) else "red"
        grid.add_row(target, str(len(mutants)), str(caught), *right, style=style)
    return grid


def _lines(lines: tuple[LineResult, ...]) -> Fitted:
    columns = ("guard", "attempt", "stopped by", "its guard gone", "second line", "both gone")
    rows = [
        [
            Text(line.guard),
            Text(line.attempt),
            Text(line.stopped_by),
            Text(line.then_stopped_by or "nothing stops it"),
            Text(line.second_line),
            Text(line.effect_without_both),
        ]
        for line in lines
    ]
    return Fitted(Grid(columns, rows))


def _escape(mutant: MutantResult) -> str:
    """Why it does not count as caught: its own check holds, or others that it does not name fail with it."""
    by_more = mutant.expected_check in mutant.caught_by
    how = "is caught by more than" if by_more else "escaped"
    return f"{mutant.id} {how} {mutant.expected_check}: {mutant.detail}"


def _summary(caught: int, of: int, right: int, of_right: int) -> str:
    mutants = f"{caught} of {of} {'mutant' if of == 1 else 'mutants'} caught by the check that names "
    mutants += "its boundary" if of == 1 else "their boundary"
    variants = f"{right} of {of_right} right {'version' if of_right == 1 else 'versions'} passed"
    return "; ".join([*([mutants] if of or not of_right else []), *([variants] if of_right else [])]) + "."


def markdown(rows: Iterable[Mapping[str, str]]) -> str:
    """The table of lines as a document publishes it, from rows as `relay-lab mutants --json` prints them."""
    lines = [
        "| guard | what is tried | its guard gone | line behind it | what follows without both |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        then = row["then_stopped_by"] or "nothing stops it"
        lines.append(
            f"| {row['guard']} | {row['attempt']} | {then} | {row['second_line']} | {row['effect_without_both']} |"
        )
    return "\n".join(lines) + "\n"


def junit(report: MutantsReport) -> str:
    """Every mutant and every right version as a test of one suite; one that escaped names the boundary that nothing watches."""
    cases = [_case(each) for each in report.mutants]
    for variant in report.variants:
        failure = None if variant.passed else f"a right version of {variant.step} was failed"
        cases.append(Case(f"mutants.{variant.step}", variant.id, failure))
    return suite("relay-lab mutants", cases)


def _case(mutant: MutantResult) -> Case:
    check = mutant.expected_check
    failure = None if mutant.caught else f"{check} does not hold its boundary: {mutant.id} escaped it"
    return Case(f"mutants.{mutant.target}", f"{check} catches {mutant.id}", failure, mutant.detail)
