"""What was found, to be read by people: as text, and as HTML in notebooks."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from . import _core
from ._frames import interval

#: Characters of a line, and of a name at least.
WIDTH, NAME = 80, 12
#: Said of a variable that is among the chosen although its own evidence is weak.
JOINED = "joined"
#: Rows of a table at most; the data frames have all.
MOST_ROWS = 25


@dataclass(frozen=True)
class Table:
    """A table of a summary.

    Parameters
    ----------
    title : str
        What it shows.
    heads : tuple of str
        The columns' names.
    rows : list of tuple of str
        The cells.
    more : str
        What is said of rows that are not shown.
    """

    title: str
    heads: tuple[str, ...]
    rows: list[tuple[str, ...]]
    more: str = ""


@dataclass(frozen=True)
class Summary:
    """What was found: printed as text, shown by notebooks as HTML.

    Parameters
    ----------
    title : str
        What was fitted.
    facts : list of tuple of str
        Labels and values.
    tables : list of Table
        What was found.
    notes : list of str
        What the columns of the tables mean.
    findings : list of str
        What to watch out for.
    """

    title: str
    facts: list[tuple[str, str]]
    tables: list[Table] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [self.title, "=" * WIDTH, *_two_columns(self.facts)]
        for table in self.tables:
            lines += ["-" * WIDTH, table.title, *aligned(table)]
        lines.append("=" * WIDTH)
        for note in self.notes:
            lines += wrapped(note)
        if self.findings:
            lines += ["", "To watch out for:"]
            for finding in self.findings:
                lines += wrapped(finding, "- ", "  ")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        def cells(kind: str, values: tuple[str, ...]) -> str:
            aligned, style = ["left"] + ["right"] * (len(values) - 1), "padding:0.2em 0.7em;white-space:nowrap"
            return "".join(
                f'<{kind} style="text-align:{side};{style}">{html.escape(value)}</{kind}>'
                for side, value in zip(aligned, values)
            )

        def table(one: Table) -> str:
            body = "".join(f"<tr>{cells('td', row)}</tr>" for row in one.rows)
            more = f"<p><small>{html.escape(one.more)}</small></p>" if one.more else ""
            head = f"<thead><tr>{cells('th', one.heads)}</tr></thead>"
            return f"<table><caption>{html.escape(one.title)}</caption>{head}<tbody>{body}</tbody></table>{more}"

        facts = "".join(f"<tr>{cells('th', (label,))}{cells('td', (value,))}</tr>" for label, value in self.facts)
        notes = "".join(f"<p><small>{html.escape(note)}</small></p>" for note in self.notes)
        items = "".join(f"<li>{html.escape(finding)}</li>" for finding in self.findings)
        found = f"<p>To watch out for:</p><ul>{items}</ul>" if items else ""
        tables = "".join(map(table, self.tables))
        whole = f"<strong>{html.escape(self.title)}</strong><table>{facts}</table>{tables}{notes}{found}"
        return f'<div style="overflow-x:auto">{whole}</div>'


def wrapped(text: str, first: str = "", further: str = "") -> list[str]:
    """Lines of a text; codes with hyphens stay whole."""
    return textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=further, break_on_hyphens=False)


def _two_columns(facts: list[tuple[str, str]]) -> list[str]:
    """Labels and values side by side, the first half on the left; a value too long for that on a line of its own."""
    half = WIDTH // 2
    short = [fact for fact in facts if sum(map(len, fact)) + 4 <= half]
    long = [fact for fact in facts if fact not in short]
    middle = (len(short) + 1) // 2
    lines = []
    for k in range(middle):
        pair = [short[k]] + ([short[k + middle]] if k + middle < len(short) else [])
        shown = [f"{label}: {value:>{half - len(label) - 4}}" for label, value in pair]
        lines.append("    ".join(shown).rstrip())
    for label, value in long:
        lines += wrapped(f"{label}: {value}", "", "  ")
    return lines


def aligned(table: Table) -> list[str]:
    """Cells under their heads, names on the left and numbers on the right."""
    others = sum(max(map(len, column)) + 2 for column in list(zip(table.heads, *table.rows))[1:])
    names = labels([row[0] for row in table.rows], max(NAME, WIDTH - others))
    rows = [(name, *row[1:]) for name, row in zip(names, table.rows)]
    widths = [max(map(len, column)) for column in zip(table.heads, *rows)]
    # What is left of the line goes between the columns.
    gap = max(2, min(4, (WIDTH - sum(widths)) // max(1, len(widths) - 1)))

    def line(cells: tuple[str, ...]) -> str:
        shown = [f"{cells[0]:<{widths[0]}}", *(f"{cell:>{width}}" for cell, width in zip(cells[1:], widths[1:]))]
        return (" " * gap).join(shown).rstrip()

    return [line(table.heads), *map(line, rows), *wrapped(table.more)]


def labels(names: Sequence[str], most: int = 22) -> list[str]:
    """Names that are too long without their middle, no two alike where the names are not."""
    return _core.labels(list(names), most)


def number(value: float | None) -> str:
    """A number as people write it: four digits that count."""
    if value is None or value != value:
        return ""
    if value == 0 or 1e-3 <= abs(value) < 1e3:
        return f"{value:.4g}"
    return f"{value:,.0f}" if 1e3 <= abs(value) < 1e9 else f"{value:.2e}"


def p_value(value: float) -> str:
    """A p-value as people write it."""
    if value < 1e-16:
        return "< 1e-16"
    return f"{value:.2g}" if value >= 1e-3 else f"{value:.0e}"


def probability(value: float) -> str:
    """A probability that is not rounded to certainty."""
    if value > 0.995:
        return "> 0.99"
    return "< 0.01" if value < 0.005 else f"{value:.2f}"


def told(findings: list[dict[str, Any]]) -> list[str]:
    """Findings as sentences."""
    remedy = [f" {found['remedy']}." if found["remedy"] else "" for found in findings]
    return [f"{found['what']}: {found['meaning']}.{more} [{found['code']}]" for found, more in zip(findings, remedy)]


def summary_of_model(name: str, fit: dict[str, Any]) -> Summary:
    """Of a fitted estimator, from what the core tells of it."""
    tables = [_coefficients(fit)]
    chosen, left_out = _by_probability(fit)
    if fit["evidence"] and chosen:
        rows, more = _cut([(name, standing(fit, name), *_judged(fit, name)) for name in chosen], "evidence_")
        tables.append(Table("Evidence for the chosen, the likeliest first", ("", "stable", *_JUDGED), rows, more))
    if left_out:
        frame = "evidence_" if fit["evidence"] else 'summary_["probability"]'
        rows, more = _cut([(name, *_judged(fit, name)) for name in left_out], frame)
        heads = _JUDGED if fit["evidence"] else _JUDGED[:1]
        tables.append(Table("Left out, the likeliest first", ("", *heads), rows, more))
    return Summary(
        title=f"{name}: {fit['target']} by {len(fit['selected'])} of {fit['p']} variables",
        facts=_facts(fit),
        tables=tables,
        notes=_notes(fit),
        findings=told(fit["findings"]),
    )


def _facts(fit: dict[str, Any]) -> list[tuple[str, str]]:
    refit, sufficiency = fit["refit"], fit["sufficiency"]
    facts = [
        ("Target", fit["target"]),
        ("Task", fit["task"]),
        ("Rows", f"{fit['n']:,}"),
        ("Effective rows", f"{fit['n_eff']:,.0f}"),
        ("Variables", f"{fit['p']:,}"),
        ("Selected", f"{len(fit['selected']):,}"),
        ("Evidence", fit["evidence_source"] or "none"),
        ("Model", refit["chosen"] or fit["model"]),
        ("Converged", "yes" if fit["converged"] else f"no: {fit['stop_reason']}"),
    ]
    if sufficiency is not None:
        facts.append(("As good as all columns", "yes" if sufficiency["sufficient"] else "no"))
    if fit["classes"]:
        facts.append(("Log-odds of", fit["classes"][1]))
    if "why" in refit:
        facts.append(("Why this model", refit["why"]))
    return facts


def _notes(fit: dict[str, Any]) -> list[str]:
    target, evidence = fit["target"], fit["evidence"]
    what = f"that '{target}' depends on it when all others are known" if evidence else "of an open gate"
    notes = [f"Probability: {what}; a variable left out may still predict well here."]
    if any(standing(fit, name) == JOINED for name in fit["selected"]):
        notes.append(
            f"{JOINED}: its own evidence is below the threshold; it was added since fits with it and its "
            "like do better on rows that were held out, or since the set predicts worse without it."
        )
    needed = [f"{name!r}" for name in fit["selected"] if evidence and evidence[name]["needed"]]
    if needed:
        notes.append(
            f"Of {', '.join(needed)} the probability is that given the other chosen ones, which others could stand in "
            "for; p is given all columns."
        )
    if evidence:
        changed = f"the probability of '{fit['classes'][1]}'" if fit["classes"] else f"'{target}'"
        notes.append(
            "p (evidence): how often chance alone shows an effect as large, of any shape, given all others. Effect: "
            f"change of {changed} by one unit of it when all others are held fixed."
        )
        weaker = [f"'{name}'" for name, entry in evidence.items() if entry["weaker_than_t"]]
        if weaker:
            named = ", ".join(weaker[:5]) + (f" and {len(weaker) - 5} more" if len(weaker) > 5 else "")
            notes.append(
                f"p of {named} is larger than effect and interval let expect: few rows tell of it, as of a rare mark, "
                "so that t has few degrees of freedom, or effects of other shapes, which are tested, too, do not show."
            )
    if fit["standard_errors"]:
        notes.append(
            "Std. error and interval (95 %): for the variables as selected, whatever the residuals' variances; that "
            "the same rows selected them is not counted."
        )
    elif fit["model"] != "linear":
        notes.append("Slopes are means over the rows.")
    if fit["classes"]:
        unlike = "; effects are changes of its probability, so that the two differ in size" if evidence else ""
        notes.append(f"Coefficients are log-odds of '{fit['classes'][1]}'{unlike}.")
    return notes


def _cut(rows: list[tuple[str, ...]], frame: str) -> tuple[list[tuple[str, ...]], str]:
    """As many rows as one reads, and where the others are."""
    left = len(rows) - MOST_ROWS
    return (rows, "") if left <= 0 else (rows[:MOST_ROWS], f"and {left} more: {frame}")


def _coefficients(fit: dict[str, Any]) -> Table:
    variable = {column["name"]: column["feature"] for column in fit["columns"]}
    errors, evidence = fit["standard_errors"] or {}, fit["evidence"] or {}
    heads = ("", "coefficient", *(("std. error", "[0.025", "0.975]") if errors else ()))
    # With evidence it has a table of its own: beside the model's intervals its figures would seem to be of the model.
    heads += () if evidence else ("probability",)
    rows = []
    if fit["intercept"] is not None:
        rows.append(("(constant)", number(fit["intercept"]), *[""] * (len(heads) - 2)))
    for name, value in fit["coefficients"].items():
        row: tuple[str, ...] = (name, number(value))
        if errors:
            row += (number(errors.get(name)), *map(number, interval(value, errors.get(name))))
        row += () if evidence else (probability(fit["probability"][variable[name]]),)
        rows.append(row)
    shown, more = _cut(rows, "coefficients_")
    title = "Coefficients" if fit["model"] == "linear" else "Mean slopes"
    return Table(title if fit["selected"] else "Nothing was selected: the mean is predicted", heads, shown, more)


#: What the evidence of a variable is headed by.
_JUDGED = ("probability", "p (evidence)", "effect", "[0.025", "0.975]")


def _judged(fit: dict[str, Any], name: str) -> tuple[str, ...]:
    """What the data say about a variable: its probability, and the evidence where there is any."""
    cells: tuple[str, ...] = (probability(fit["probability"][name]),)
    if fit["evidence"]:
        entry = fit["evidence"][name]
        ends = interval(entry["effect"], entry["standard_error"])
        cells += (p_value(entry["p_value"]), number(entry["effect"]), *map(number, ends))
    return cells


def _by_probability(fit: dict[str, Any]) -> tuple[list[str], list[str]]:
    """The variables that were chosen and those left out, the likeliest first."""
    ranked = sorted(fit["features"], key=lambda name: -fit["probability"][name])
    selected = set(fit["selected"])
    return [name for name in ranked if name in selected], [name for name in ranked if name not in selected]


def standing(fit: dict[str, Any], name: str) -> str:
    """How a chosen variable came to be chosen."""
    if name in fit["told"]:
        return "yes, told"
    entry, settings = fit["evidence"][name] if fit["evidence"] else {}, fit["settings"]
    # Where another rule chose, the threshold says nothing.
    by_threshold = all(settings.get(rule) is None for rule in ("select", "fdr", "resamples"))
    weak = by_threshold and fit["probability"][name] < settings.get("threshold", 0.0)
    return JOINED if entry.get("needed") or entry.get("companion") or weak else "yes"


def summary_of_weights(name: str, found: dict[str, Any]) -> Summary:
    """Of a fitted reweighter."""
    columns, (before, after) = found["columns"], found["correlations"]
    largest = [
        tuple(max((abs(row[j]) for j in range(len(columns)) if j != k), default=0.0) for row in (one[k], other[k]))
        for k, (one, other) in enumerate(zip([before] * len(columns), [after] * len(columns)))
    ]
    order = sorted(range(len(columns)), key=lambda k: -largest[k][0])
    rows: list[tuple[str, ...]] = [(columns[k], *(f"{value:.3f}" for value in largest[k])) for k in order]
    shown, more = _cut(rows, 'summary_["correlations"]')
    facts = [
        ("Columns", f"{len(columns):,}"),
        ("Effective rows", f"{found['n_eff']:,.0f}"),
        ("Largest correlation left", f"{found['remaining_correlation']:.3f}"),
        ("Converged", "yes" if found["converged"] else "no"),
    ]
    if found["why"]:
        facts.append(("How far", found["why"]))
    return Summary(
        title=f"{name}: weights for {len(columns)} columns",
        facts=facts,
        tables=[
            Table("Largest absolute correlation with another column", ("", "before", "under weights"), shown, more)
        ],
        notes=["Correlations among variables said to be stable are kept on purpose."],
        findings=told(found["findings"]),
    )
