"""The parameters of the selector. Made by python/generate.py from the core's tables: change those, not this file."""

from __future__ import annotations

from typing import ClassVar, Literal

from sklearn.base import BaseEstimator

from ._base import Columns, RandomState


class SelectorParameters(BaseEstimator):
    """The parameters of StableSelector.

    Parameters
    ----------
    task : {"auto", "regression", "classification"}, default="auto"
        What y is; "auto" takes two distinct values for classes.
    nonlinear : bool, default=False
        Judge by networks, which see effects of any shape and want some thousand rows.
    stable : str, int or sequence of these, default=()
        Columns, by their names or positions, known to be stable: always in the set, and judged all the same.
    unstable : str, int or sequence of these, default=()
        Columns, by their names or positions, known to be unstable: never in the set, and judged all the same.
    evidence : {"auto", "focused", "residual", "network"} or None, default="auto"
        What decides that a variable is stable. "auto": what measured best: residual, or focused for a great many
        columns; behind a network network. "focused": the outcome's slope in it under weights that decorrelate it
        from all others, their squares and products: fast. "residual": whether the outcome depends on it given all
        others, by flexible regressions: slower, and the most reliable. "network": how much worse a wide network
        predicts unseen rows without it. ``None``: its gate, as in the paper.
    evidence_rows : int in [100, inf), default=50_000
        Rows the evidence is gathered from at most, drawn at random.
    threshold : float in [0, 1], default=0.5
        Probability from which a variable is selected.
    n_features_to_select : int in [1, inf) or None, default=None
        Select this many, the most probable, instead of by a threshold. ``None``: as many as pass the threshold.
        Takes the place of ``threshold``.
    fdr : float in [0, 1] or None, default=None
        Select so that at most this share of the selected is wrong on average (Benjamini-Hochberg), instead of by a
        threshold; needs evidence. ``None``: by the threshold. Takes the place of ``threshold`` and
        ``n_features_to_select``.
    resamples : int in [2, inf) or None, default=None
        Also select in this many random halves of the rows, and keep what most of them select. ``None``: none.
    least_frequency : float in [0, 1], default=0.5
        Share of the halves in which a variable must be selected.
    weight_kind : {"survey", "frequency"}, default="survey"
        What base weights mean. "survey": how much a row counts beside the others: only their ratios matter, and
        uneven ones leave fewer effective rows. "frequency": how often it was seen: a count of 2 is the row standing
        twice.
    missing : {"refuse", "drop", "mean"}, default="refuse"
        What to do with missing values. "refuse": stop and say where they are. "drop": leave out the rows that have
        any. "mean": put the column's mean, or the most frequent text.
    max_levels : int in [1, inf), default=100
        The most different values a text column may have.
    random_state : int, RandomState instance or None, default=0
        The seed; the same seed gives the same answer.
    n_jobs : int in [1, 65535] or None, default=None
        Threads to use; the answer does not depend on it. ``None``: all cores.
    verbose : bool, default=False
        Show a progress bar: on standard error, in notebooks below the cell.
    """

    _passed_on: ClassVar[tuple[str, ...]] = (
        "stable",
        "unstable",
        "evidence",
        "evidence_rows",
        "threshold",
        "n_features_to_select",
        "fdr",
        "resamples",
        "least_frequency",
        "weight_kind",
        "missing",
        "max_levels",
        "random_state",
        "n_jobs",
        "verbose",
    )

    def __init__(
        self,
        *,
        task: Literal["auto", "regression", "classification"] = "auto",
        nonlinear: bool = False,
        stable: Columns = (),
        unstable: Columns = (),
        evidence: Literal["auto", "focused", "residual", "network"] | None = "auto",
        evidence_rows: int = 50_000,
        threshold: float = 0.5,
        n_features_to_select: int | None = None,
        fdr: float | None = None,
        resamples: int | None = None,
        least_frequency: float = 0.5,
        weight_kind: Literal["survey", "frequency"] = "survey",
        missing: Literal["refuse", "drop", "mean"] = "refuse",
        max_levels: int = 100,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.task = task
        self.nonlinear = nonlinear
        self.stable = stable
        self.unstable = unstable
        self.evidence = evidence
        self.evidence_rows = evidence_rows
        self.threshold = threshold
        self.n_features_to_select = n_features_to_select
        self.fdr = fdr
        self.resamples = resamples
        self.least_frequency = least_frequency
        self.weight_kind = weight_kind
        self.missing = missing
        self.max_levels = max_levels
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
