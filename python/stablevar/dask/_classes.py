"""Estimators on Dask collections. Made by python/generate.py from the core's tables: change those, not this file."""

from __future__ import annotations

from typing import Any, Literal

from .._base import Columns, RandomState
from ..estimators import SVIClassifier, SVIRegressor
from ..reweighters import Balance
from ._estimators import OnDaskBalance, OnDaskClassifier, OnDaskSVI


class DaskSVIRegressor(OnDaskSVI, SVIRegressor):
    """Stable variables and a regression on them, on a Dask cluster: of arrays and data frames of which a partition
    holds whole rows. Predictions and weights are lazy; other attributes are those of
    :class:`~stablevar.SVIRegressor`.

    Parameters
    ----------
    gates : {"linear", "network"}, default="linear"
        What the gates stand before. "linear": a linear model. "network": a network.
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
    max_iter : int in [1, inf), default=10
        Most loops of Algorithm 1.
    moving_average : int in [1, inf), default=3
        Loops the soft mask is averaged over.
    sigma : float in (0, inf) or None, default=None
        Noise of the gates. ``None``: 0.7; before a network 0.5.
    penalty_factor : float in (0, inf), default=0.75
        Multiplies the automatic cost of an open gate.
    penalty : float in [0, inf) or None, default=None
        Cost of an open gate (the paper's lambda) as a share of the outcome's variance. ``None``: chosen from the
        data. Takes the place of ``penalty_factor``.
    reweighter : {"balance", "dwr", "srdo"}, default="balance"
        How weights are found. "balance": the weights closest to uniform, by a small convex problem. "dwr": as
        published: one free weight per row, by gradient descent. "srdo": a ratio of densities: also removes
        dependence that correlations do not see.
    divergence : {"chi2", "entropy"}, default="chi2"
        The distance to uniform weights. "chi2": keeps the largest effective sample size there is. "entropy": keeps
        every weight above 0.
    means : {"pinned", "recentred"}, default="pinned"
        What happens to the columns' means under the weights. "pinned": they stay where they are. "recentred": they
        may move: a little more effective sample size.
    ridge : float in (0, inf) or None, default=None
        How much correlation the weights may leave; 1e-10 leaves none, if there are such weights. ``None``: (pairs
        of columns / rows)^2 in the loop of Algorithm 1; where balance is by itself or takes the place of another
        reweighter as little as the rows allow.
    balance_tolerance : float in (0, inf), default=0.0001
        Largest entry of the gradient at which the search for balance stops; 1e-9 where balance takes the place of
        another reweighter.
    balance_steps : int in [1, inf), default=500
        Most steps of the search for balance.
    refit : {"auto", "linear", "robust", "ridge", "network", "trees", "kept"}, default="auto"
        The model on the variables chosen. "auto": what the method has: for svi with evidence the one that a stress
        test chooses among linear and robust fits under weights of several strengths, by themselves or half-way to
        boosted trees; a network behind network gates. "linear": least squares; for classes logistic regression.
        "robust": least squares that a few extreme outcomes can't bend (Huber). "ridge": ridge regression, for
        numbers. "network": a network. "trees": boosted trees for what a straight line leaves, none where they do
        not help. "kept": the coefficients that the variables were chosen by, which the Lasso has.
    remember : int in [0, 1000000], default=4000
        Training rows that the model keeps with their outcomes at most, so that errors elsewhere can be foreseen; 0
        keeps none.
    honest : int in [0, 100], default=0
        Regions, and with them five folds, without which the whole is fitted anew, selection and all: the honest
        estimate of errors elsewhere beside the cheap one of the refit's choice; each takes as long as the fit, 0
        leaves it out.
    outlier_limit : float in (0, inf), default=4.0
        Standard deviations beyond which residuals of the outcome are clipped, in robust refits and in residual
        evidence.
    tree_start : {"line", "constant"}, default="line"
        What boosted trees are added to. "line": a straight line, which goes on beyond the training rows.
        "constant": a constant.
    tree_rounds : int in [0, 10000] or None, default=None
        Number of boosted trees. ``None``: as many as help on rows held out.
    tree_depth : int in [1, 10], default=3
        Splits from the root of a boosted tree to a leaf at most.
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
    client : distributed.Client or None, default=None
        The cluster; ``None`` is the current client.

    Attributes
    ----------
    client_ : distributed.Client
        The client used.
    weights_ : dask array or series of shape (n_samples,)
        One per row, mean 1; lazy.
    """

    def __init__(
        self,
        *,
        gates: Literal["linear", "network"] = "linear",
        stable: Columns = (),
        unstable: Columns = (),
        evidence: Literal["auto", "focused", "residual", "network"] | None = "auto",
        evidence_rows: int = 50_000,
        threshold: float = 0.5,
        n_features_to_select: int | None = None,
        fdr: float | None = None,
        resamples: int | None = None,
        least_frequency: float = 0.5,
        max_iter: int = 10,
        moving_average: int = 3,
        sigma: float | None = None,
        penalty_factor: float = 0.75,
        penalty: float | None = None,
        reweighter: Literal["balance", "dwr", "srdo"] = "balance",
        divergence: Literal["chi2", "entropy"] = "chi2",
        means: Literal["pinned", "recentred"] = "pinned",
        ridge: float | None = None,
        balance_tolerance: float = 0.0001,
        balance_steps: int = 500,
        refit: Literal["auto", "linear", "robust", "ridge", "network", "trees", "kept"] = "auto",
        remember: int = 4000,
        honest: int = 0,
        outlier_limit: float = 4.0,
        tree_start: Literal["line", "constant"] = "line",
        tree_rounds: int | None = None,
        tree_depth: int = 3,
        weight_kind: Literal["survey", "frequency"] = "survey",
        missing: Literal["refuse", "drop", "mean"] = "refuse",
        max_levels: int = 100,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        verbose: bool = False,
        client: Any = None,
    ) -> None:
        super().__init__(
            gates=gates,
            stable=stable,
            unstable=unstable,
            evidence=evidence,
            evidence_rows=evidence_rows,
            threshold=threshold,
            n_features_to_select=n_features_to_select,
            fdr=fdr,
            resamples=resamples,
            least_frequency=least_frequency,
            max_iter=max_iter,
            moving_average=moving_average,
            sigma=sigma,
            penalty_factor=penalty_factor,
            penalty=penalty,
            reweighter=reweighter,
            divergence=divergence,
            means=means,
            ridge=ridge,
            balance_tolerance=balance_tolerance,
            balance_steps=balance_steps,
            refit=refit,
            remember=remember,
            honest=honest,
            outlier_limit=outlier_limit,
            tree_start=tree_start,
            tree_rounds=tree_rounds,
            tree_depth=tree_depth,
            weight_kind=weight_kind,
            missing=missing,
            max_levels=max_levels,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.client = client


class DaskSVIClassifier(OnDaskClassifier, SVIClassifier):
    """Stable variables and a classifier on them, on a Dask cluster: of arrays and data frames of which a partition
    holds whole rows. Predictions and weights are lazy; other attributes are those of
    :class:`~stablevar.SVIClassifier`.

    Parameters
    ----------
    gates : {"linear", "network"}, default="linear"
        What the gates stand before. "linear": a linear model. "network": a network.
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
    max_iter : int in [1, inf), default=10
        Most loops of Algorithm 1.
    moving_average : int in [1, inf), default=3
        Loops the soft mask is averaged over.
    sigma : float in (0, inf) or None, default=None
        Noise of the gates. ``None``: 0.7; before a network 0.5.
    penalty_factor : float in (0, inf), default=0.75
        Multiplies the automatic cost of an open gate.
    penalty : float in [0, inf) or None, default=None
        Cost of an open gate (the paper's lambda) as a share of the outcome's variance. ``None``: chosen from the
        data. Takes the place of ``penalty_factor``.
    reweighter : {"balance", "dwr", "srdo"}, default="balance"
        How weights are found. "balance": the weights closest to uniform, by a small convex problem. "dwr": as
        published: one free weight per row, by gradient descent. "srdo": a ratio of densities: also removes
        dependence that correlations do not see.
    divergence : {"chi2", "entropy"}, default="chi2"
        The distance to uniform weights. "chi2": keeps the largest effective sample size there is. "entropy": keeps
        every weight above 0.
    means : {"pinned", "recentred"}, default="pinned"
        What happens to the columns' means under the weights. "pinned": they stay where they are. "recentred": they
        may move: a little more effective sample size.
    ridge : float in (0, inf) or None, default=None
        How much correlation the weights may leave; 1e-10 leaves none, if there are such weights. ``None``: (pairs
        of columns / rows)^2 in the loop of Algorithm 1; where balance is by itself or takes the place of another
        reweighter as little as the rows allow.
    balance_tolerance : float in (0, inf), default=0.0001
        Largest entry of the gradient at which the search for balance stops; 1e-9 where balance takes the place of
        another reweighter.
    balance_steps : int in [1, inf), default=500
        Most steps of the search for balance.
    refit : {"auto", "linear", "robust", "ridge", "network", "trees", "kept"}, default="auto"
        The model on the variables chosen. "auto": what the method has: for svi with evidence the one that a stress
        test chooses among linear and robust fits under weights of several strengths, by themselves or half-way to
        boosted trees; a network behind network gates. "linear": least squares; for classes logistic regression.
        "robust": least squares that a few extreme outcomes can't bend (Huber). "ridge": ridge regression, for
        numbers. "network": a network. "trees": boosted trees for what a straight line leaves, none where they do
        not help. "kept": the coefficients that the variables were chosen by, which the Lasso has.
    remember : int in [0, 1000000], default=4000
        Training rows that the model keeps with their outcomes at most, so that errors elsewhere can be foreseen; 0
        keeps none.
    honest : int in [0, 100], default=0
        Regions, and with them five folds, without which the whole is fitted anew, selection and all: the honest
        estimate of errors elsewhere beside the cheap one of the refit's choice; each takes as long as the fit, 0
        leaves it out.
    outlier_limit : float in (0, inf), default=4.0
        Standard deviations beyond which residuals of the outcome are clipped, in robust refits and in residual
        evidence.
    tree_start : {"line", "constant"}, default="line"
        What boosted trees are added to. "line": a straight line, which goes on beyond the training rows.
        "constant": a constant.
    tree_rounds : int in [0, 10000] or None, default=None
        Number of boosted trees. ``None``: as many as help on rows held out.
    tree_depth : int in [1, 10], default=3
        Splits from the root of a boosted tree to a leaf at most.
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
    client : distributed.Client or None, default=None
        The cluster; ``None`` is the current client.

    Attributes
    ----------
    client_ : distributed.Client
        The client used.
    weights_ : dask array or series of shape (n_samples,)
        One per row, mean 1; lazy.
    """

    def __init__(
        self,
        *,
        gates: Literal["linear", "network"] = "linear",
        stable: Columns = (),
        unstable: Columns = (),
        evidence: Literal["auto", "focused", "residual", "network"] | None = "auto",
        evidence_rows: int = 50_000,
        threshold: float = 0.5,
        n_features_to_select: int | None = None,
        fdr: float | None = None,
        resamples: int | None = None,
        least_frequency: float = 0.5,
        max_iter: int = 10,
        moving_average: int = 3,
        sigma: float | None = None,
        penalty_factor: float = 0.75,
        penalty: float | None = None,
        reweighter: Literal["balance", "dwr", "srdo"] = "balance",
        divergence: Literal["chi2", "entropy"] = "chi2",
        means: Literal["pinned", "recentred"] = "pinned",
        ridge: float | None = None,
        balance_tolerance: float = 0.0001,
        balance_steps: int = 500,
        refit: Literal["auto", "linear", "robust", "ridge", "network", "trees", "kept"] = "auto",
        remember: int = 4000,
        honest: int = 0,
        outlier_limit: float = 4.0,
        tree_start: Literal["line", "constant"] = "line",
        tree_rounds: int | None = None,
        tree_depth: int = 3,
        weight_kind: Literal["survey", "frequency"] = "survey",
        missing: Literal["refuse", "drop", "mean"] = "refuse",
        max_levels: int = 100,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        verbose: bool = False,
        client: Any = None,
    ) -> None:
        super().__init__(
            gates=gates,
            stable=stable,
            unstable=unstable,
            evidence=evidence,
            evidence_rows=evidence_rows,
            threshold=threshold,
            n_features_to_select=n_features_to_select,
            fdr=fdr,
            resamples=resamples,
            least_frequency=least_frequency,
            max_iter=max_iter,
            moving_average=moving_average,
            sigma=sigma,
            penalty_factor=penalty_factor,
            penalty=penalty,
            reweighter=reweighter,
            divergence=divergence,
            means=means,
            ridge=ridge,
            balance_tolerance=balance_tolerance,
            balance_steps=balance_steps,
            refit=refit,
            remember=remember,
            honest=honest,
            outlier_limit=outlier_limit,
            tree_start=tree_start,
            tree_rounds=tree_rounds,
            tree_depth=tree_depth,
            weight_kind=weight_kind,
            missing=missing,
            max_levels=max_levels,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.client = client


class DaskBalance(OnDaskBalance, Balance):
    """Weights under which columns do not correlate, on a Dask cluster: of arrays and data frames of which a partition
    holds whole rows. Predictions and weights are lazy; other attributes are those of :class:`~stablevar.Balance`.

    Parameters
    ----------
    divergence : {"chi2", "entropy"}, default="chi2"
        The distance to uniform weights. "chi2": keeps the largest effective sample size there is. "entropy": keeps
        every weight above 0.
    means : {"pinned", "recentred"}, default="pinned"
        What happens to the columns' means under the weights. "pinned": they stay where they are. "recentred": they
        may move: a little more effective sample size.
    ridge : float in (0, inf) or None, default=None
        How much correlation the weights may leave; 1e-10 leaves none, if there are such weights. ``None``: (pairs
        of columns / rows)^2 in the loop of Algorithm 1; where balance is by itself or takes the place of another
        reweighter as little as the rows allow.
    tol : float in (0, inf), default=1e-09
        Largest entry of the gradient at which the search for balance stops; 1e-9 where balance takes the place of
        another reweighter.
    max_iter : int in [1, inf), default=500
        Most steps of the search for balance.
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
    client : distributed.Client or None, default=None
        The cluster; ``None`` is the current client.

    Attributes
    ----------
    client_ : distributed.Client
        The client used.
    weights_ : dask array or series of shape (n_samples,)
        One per row, mean 1; lazy.
    """

    def __init__(
        self,
        *,
        divergence: Literal["chi2", "entropy"] = "chi2",
        means: Literal["pinned", "recentred"] = "pinned",
        ridge: float | None = None,
        tol: float = 1e-09,
        max_iter: int = 500,
        weight_kind: Literal["survey", "frequency"] = "survey",
        missing: Literal["refuse", "drop", "mean"] = "refuse",
        max_levels: int = 100,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        client: Any = None,
    ) -> None:
        super().__init__(
            divergence=divergence,
            means=means,
            ridge=ridge,
            tol=tol,
            max_iter=max_iter,
            weight_kind=weight_kind,
            missing=missing,
            max_levels=max_levels,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        self.client = client
