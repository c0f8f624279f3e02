"""What was found as data frames."""

from __future__ import annotations

from typing import Any

#: Standard errors that an interval of 95 % reaches to either side.
NORMAL_95 = 1.959963984540054


def pandas_for(attribute: str, instead: str) -> Any:
    """pandas, or an error that says what there is without it."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError(
            f"{attribute} is a data frame, which needs pandas (pip install pandas). Without it: {instead}."
        ) from error
    return pandas


def interval(value: float | None, standard_error: float | None) -> tuple[float, float]:
    """From where to where it lies with a chance of 95 %; NaN if that is not known."""
    if value is None or standard_error is None:
        return float("nan"), float("nan")
    return value - NORMAL_95 * standard_error, value + NORMAL_95 * standard_error


def _number(value: float | None) -> float:
    return float("nan") if value is None else float(value)


def evidence_frame(summary: dict[str, Any]) -> Any:
    """One row per variable; None where no evidence was gathered."""
    evidence = summary["evidence"]
    if evidence is None:
        return None
    pandas = pandas_for("evidence_", 'summary_["evidence"]')
    selected = set(summary["selected"])
    rows = []
    for name, entry in evidence.items():
        low, high = interval(entry["effect"], entry["standard_error"])
        rows.append(
            {
                "selected": name in selected,
                "probability": entry["probability"],
                "effect": _number(entry["effect"]),
                "standard_error": _number(entry["standard_error"]),
                "low": low,
                "high": high,
                "t": entry["t"],
                "p_value": entry["p_value"],
                "effect_size": entry["effect_size"],
                "spread": entry["spread"],
                "doubtful": entry["doubtful"],
                "weaker_than_t": entry["weaker_than_t"],
                "needed": entry["needed"],
                "n_eff": entry["effective_sample_size"],
                "judged_without": tuple(entry["judged_without"]),
                "alternatives": tuple(entry["alternatives"]),
            }
        )
    return pandas.DataFrame(rows, index=pandas.Index(list(evidence), name="variable"))


def coefficient_frame(summary: dict[str, Any]) -> Any:
    """One row per encoded column that the model uses."""
    pandas = pandas_for("coefficients_", 'summary_["coefficients"] and summary_["standard_errors"]')
    variable_of = {column["name"]: column["feature"] for column in summary["columns"]}
    errors = summary["standard_errors"] or {}
    rows = []
    for name, value in summary["coefficients"].items():
        low, high = interval(value, errors.get(name))
        error = _number(errors.get(name))
        rows.append(
            {"variable": variable_of[name], "coefficient": value, "standard_error": error, "low": low, "high": high}
        )
    index = pandas.Index(list(summary["coefficients"]), name="column")
    columns = ["variable", "coefficient", "standard_error", "low", "high"]
    return pandas.DataFrame(rows, index=index, columns=columns)
