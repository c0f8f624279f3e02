"""What a fit tells you to watch out for, as warnings."""

from __future__ import annotations

import warnings
from typing import Any

from sklearn.exceptions import ConvergenceWarning


class FindingWarning(UserWarning):
    """Something to watch out for in a result, which stands nevertheless.

    Every kind of finding has a code; the page of findings in the documentation lists them.

    Parameters
    ----------
    message : str
        What was found, what it means and what to do about it.
    code : str
        The kind of finding.
    variables : tuple of str
        The variables it is about.
    figures : dict of str to float
        How large it is.
    """

    def __init__(
        self, message: str, code: str = "", variables: tuple[str, ...] = (), figures: dict[str, float] | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.variables = variables
        self.figures = figures or {}


def raise_findings(findings: list[dict[str, Any]], name: str, stacklevel: int) -> None:
    """Warns of every finding, as if the caller's caller's ... line had done it."""
    for found in findings:
        remedy = f". {found['remedy']}" if found["remedy"] else ""
        text = f"{found['what']}: {found['meaning']}{remedy}. [{found['code']}]"
        if found["code"] == "not-converged":
            told = text[len("not converged: ") :] if text.startswith("not converged: ") else text
            warnings.warn(f"{name} did not converge: {told}", ConvergenceWarning, stacklevel=stacklevel)
        else:
            warning = FindingWarning(text, found["code"], tuple(found["variables"]), dict(found["figures"]))
            warnings.warn(warning, stacklevel=stacklevel)
