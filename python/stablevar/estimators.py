"""Every method as an estimator. Made by python/generate.py from the core's tables: change those, not this file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from ._base import Columns, RandomState, StableModel
from ._tasks import Classification, Regression

__all__ = [
    "DWRClassifier",
    "DWRRegressor",
    "LassoRegressor",
    "LogisticClassifier",
    "MLPClassifier",
    "MLPRegressor",
    "NonlinearSVIClassifier",
    "NonlinearSVIRegressor",
    "OLSRegressor",
    "RidgeRegressor",
    "SRDOClassifier",
    "SRDORegressor",
    "STGClassifier",
    "STGRegressor",
    "SVIClassifier",
    "SVIDClassifier",
    "SVIDRegressor",
    "SVIRegressor",
]


class SVIRegressor(Regression, StableModel):
    """Algorithm 1 guided by evidence for every variable, then the linear model on the stable ones that does best under
    stress; for numbers.

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

    Attributes
    ----------
    selected_ : ndarray of str
        Names of the selected variables.
    probability_ : ndarray of shape (n_features_in_,)
        Probability of being stable; that of an open gate where there is no evidence. Also as ``open_probability_``.
    evidence_ : DataFrame or None
        For each variable the probability, the effect given all others with its standard error and interval of 95 %,
        t, p-value, effect size, how far repeats differ (spread), whether it is doubtful, and what could take its
        place (alternatives). As a dict: ``summary_["evidence"]``.
    sufficiency_ : dict or None
        Whether the selected variables predict as well as all, in the training data: ``loss_selected``,
        ``loss_all``, ``difference``, ``standard_error``, ``sufficient``.
    told_ : dict of str to str
        Columns that were told to be "stable" or "unstable".
    environments_ : dict or None
        With ``env``: the slopes of the selected variables in every environment (``effects``), and a test whether
        they differ.
    coef_ : ndarray
        Coefficients in the units of the data, 0 for variables left out: one per feature, for a text column one per
        encoded level. ``coef_names_`` names them. Not for networks and trees.
    coef_names_ : list of str
        The encoded columns that ``coef_`` is for.
    coefficients_ : DataFrame
        Coefficients of the selected variables by encoded column, with standard errors and intervals of 95 %; of
        networks and trees mean slopes. As a dict: ``summary_["coefficients"]``.
    influence_ : dict or None
        What matters to boosted trees: by encoded column how much predictions change (root mean square) if its
        values are dealt out anew among the rows. For other models None.
    intercept_ : float or ndarray
        The constant. Not for networks and trees.
    weights_ : ndarray of shape (n_samples,)
        The rows' weights, mean 1.
    n_eff_ : float
        Effective sample size of the weights.
    history_ : list of dict
        Every loop.
    n_iter_ : int
        Loops taken.
    converged_ : bool
        Whether every part converged.
    findings_ : list of dict
        What to watch out for: code, variables, figures and words.
    summary_ : dict
        All of it, with the keys of the command line's ``--format json``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X had any.

    Examples
    --------
    >>> from stablevar import SVIRegressor
    >>> from stablevar.datasets import make_biased_linear
    >>> X, y = make_biased_linear(n_samples=1000, r=2.5, random_state=0)
    >>> model = SVIRegressor().fit(X, y)
    >>> model.get_support(indices=True).tolist()
    [0, 1, 2, 3, 4]
    """

    _core_name = "svi"
    _parameters: ClassVar[dict[str, str]] = {
        "gates": "gates",
        "stable": "stable",
        "unstable": "unstable",
        "evidence": "evidence",
        "evidence_rows": "evidence-rows",
        "threshold": "threshold",
        "n_features_to_select": "select",
        "fdr": "fdr",
        "resamples": "resamples",
        "least_frequency": "least-frequency",
        "max_iter": "loops",
        "moving_average": "moving-average",
        "sigma": "sigma",
        "penalty_factor": "penalty-factor",
        "penalty": "penalty",
        "reweighter": "reweighter",
        "divergence": "divergence",
        "means": "means",
        "ridge": "ridge",
        "balance_tolerance": "balance-tolerance",
        "balance_steps": "balance-steps",
        "refit": "refit",
        "remember": "remember",
        "honest": "honest",
        "outlier_limit": "outlier-limit",
        "tree_start": "tree-start",
        "tree_rounds": "tree-rounds",
        "tree_depth": "tree-depth",
        "weight_kind": "weight-kind",
        "missing": "missing",
        "max_levels": "max-levels",
        "random_state": "seed",
        "n_jobs": "threads",
    }
    _none_is_a_choice: ClassVar[tuple[str, ...]] = ("evidence",)

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
    ) -> None:
        self.gates = gates
        self.stable = stable
        self.unstable = unstable
        self.evidence = evidence
        self.evidence_rows = evidence_rows
        self.threshold = threshold
        self.n_features_to_select = n_features_to_select
        self.fdr = fdr
        self.resamples = resamples
        self.least_frequency = least_frequency
        self.max_iter = max_iter
        self.moving_average = moving_average
        self.sigma = sigma
        self.penalty_factor = penalty_factor
        self.penalty = penalty
        self.reweighter = reweighter
        self.divergence = divergence
        self.means = means
        self.ridge = ridge
        self.balance_tolerance = balance_tolerance
        self.balance_steps = balance_steps
        self.refit = refit
        self.remember = remember
        self.honest = honest
        self.outlier_limit = outlier_limit
        self.tree_start = tree_start
        self.tree_rounds = tree_rounds
        self.tree_depth = tree_depth
        self.weight_kind = weight_kind
        self.missing = missing
        self.max_levels = max_levels
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class SVIClassifier(Classification, StableModel):
    """Algorithm 1 guided by evidence for every variable, then the linear model on the stable ones that does best under
    stress; for two classes.

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

    Attributes
    ----------
    selected_ : ndarray of str
        Names of the selected variables.
    probability_ : ndarray of shape (n_features_in_,)
        Probability of being stable; that of an open gate where there is no evidence. Also as ``open_probability_``.
    evidence_ : DataFrame or None
        For each variable the probability, the effect given all others with its standard error and interval of 95 %,
        t, p-value, effect size, how far repeats differ (spread), whether it is doubtful, and what could take its
        place (alternatives). As a dict: ``summary_["evidence"]``.
    sufficiency_ : dict or None
        Whether the selected variables predict as well as all, in the training data: ``loss_selected``,
        ``loss_all``, ``difference``, ``standard_error``, ``sufficient``.
    told_ : dict of str to str
        Columns that were told to be "stable" or "unstable".
    environments_ : dict or None
        With ``env``: the slopes of the selected variables in every environment (``effects``), and a test whether
        they differ.
    coef_ : ndarray
        Coefficients in the units of the data, 0 for variables left out: one per feature, for a text column one per
        encoded level. ``coef_names_`` names them. Not for networks and trees.
    coef_names_ : list of str
        The encoded columns that ``coef_`` is for.
    coefficients_ : DataFrame
        Coefficients of the selected variables by encoded column, with standard errors and intervals of 95 %; of
        networks and trees mean slopes. As a dict: ``summary_["coefficients"]``.
    influence_ : dict or None
        What matters to boosted trees: by encoded column how much predictions change (root mean square) if its
        values are dealt out anew among the rows. For other models None.
    intercept_ : float or ndarray
        The constant. Not for networks and trees.
    weights_ : ndarray of shape (n_samples,)
        The rows' weights, mean 1.
    n_eff_ : float
        Effective sample size of the weights.
    history_ : list of dict
        Every loop.
    n_iter_ : int
        Loops taken.
    converged_ : bool
        Whether every part converged.
    findings_ : list of dict
        What to watch out for: code, variables, figures and words.
    summary_ : dict
        All of it, with the keys of the command line's ``--format json``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X had any.
    classes_ : ndarray of shape (2,)
        The two classes.

    Examples
    --------
    >>> from stablevar import SVIClassifier
    >>> from stablevar.datasets import make_biased_linear
    >>> X, y = make_biased_linear(n_samples=2000, r=2.5, random_state=0)
    >>> model = SVIClassifier().fit(X, y > 0)
    >>> model.predict_proba(X).shape
    (2000, 2)
    """

    _core_name = "svi"
    _parameters: ClassVar[dict[str, str]] = {
        "gates": "gates",
        "stable": "stable",
        "unstable": "unstable",
        "evidence": "evidence",
        "evidence_rows": "evidence-rows",
        "threshold": "threshold",
        "n_features_to_select": "select",
        "fdr": "fdr",
        "resamples": "resamples",
        "least_frequency": "least-frequency",
        "max_iter": "loops",
        "moving_average": "moving-average",
        "sigma": "sigma",
        "penalty_factor": "penalty-factor",
        "penalty": "penalty",
        "reweighter": "reweighter",
        "divergence": "divergence",
        "means": "means",
        "ridge": "ridge",
        "balance_tolerance": "balance-tolerance",
        "balance_steps": "balance-steps",
        "refit": "refit",
        "remember": "remember",
        "honest": "honest",
        "outlier_limit": "outlier-limit",
        "tree_start": "tree-start",
        "tree_rounds": "tree-rounds",
        "tree_depth": "tree-depth",
        "weight_kind": "weight-kind",
        "missing": "missing",
        "max_levels": "max-levels",
        "random_state": "seed",
        "n_jobs": "threads",
    }
    _none_is_a_choice: ClassVar[tuple[str, ...]] = ("evidence",)

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
    ) -> None:
        self.gates = gates
        self.stable = stable
        self.unstable = unstable
        self.evidence = evidence
        self.evidence_rows = evidence_rows
        self.threshold = threshold
        self.n_features_to_select = n_features_to_select
        self.fdr = fdr
        self.resamples = resamples
        self.least_frequency = least_frequency
        self.max_iter = max_iter
        self.moving_average = moving_average
        self.sigma = sigma
        self.penalty_factor = penalty_factor
        self.penalty = penalty
        self.reweighter = reweighter
        self.divergence = divergence
        self.means = means
        self.ridge = ridge
        self.balance_tolerance = balance_tolerance
        self.balance_steps = balance_steps
        self.refit = refit
        self.remember = remember
        self.honest = honest
        self.outlier_limit = outlier_limit
        self.tree_start = tree_start
        self.tree_rounds = tree_rounds
        self.tree_depth = tree_depth
        self.weight_kind = weight_kind
        self.missing = missing
        self.max_levels = max_levels
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class SVIDRegressor(Regression, StableModel):
    """Algorithm 1 as published with one loop: weights once, then gates decide; for numbers.

    Parameters
    ----------
    gates : {"linear", "network"}, default="linear"
        What the gates stand before. "linear": a linear model. "network": a network.
    stable : str, int or sequence of these, default=()
        Columns, by their names or positions, known to be stable: always in the set, and judged all the same.
    unstable : str, int or sequence of these, default=()
        Columns, by their names or positions, known to be unstable: never in the set, and judged all the same.
    evidence : {"auto", "focused", "residual", "network"} or None, default=None
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
    max_iter : int in [1, inf), default=1
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
    outlier_limit : float in (0, inf), default=4.0
        Standard deviations beyond which residuals of the outcome are clipped, in robust refits and in residual
        evidence.
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

    Attributes
    ----------
    selected_ : ndarray of str
        Names of the selected variables.
    probability_ : ndarray of shape (n_features_in_,)
        Probability of being stable; that of an open gate where there is no evidence. Also as ``open_probability_``.
    evidence_ : DataFrame or None
        For each variable the probability, the effect given all others with its standard error and interval of 95 %,
        t, p-value, effect size, how far repeats differ (spread), whether it is doubtful, and what could take its
        place (alternatives). As a dict: ``summary_["evidence"]``.
    sufficiency_ : dict or None
        Whether the selected variables predict as well as all, in the training data: ``loss_selected``,
        ``loss_all``, ``difference``, ``standard_error``, ``sufficient``.
    told_ : dict of str to str
        Columns that were told to be "stable" or "unstable".
    environments_ : dict or None
        With ``env``: the slopes of the selected variables in every environment (``effects``), and a test whether
        they differ.
    coef_ : ndarray
        Coefficients in the units of the data, 0 for variables left out: one per feature, for a text column one per
        encoded level. ``coef_names_`` names them. Not for networks and trees.
    coef_names_ : list of str
        The encoded columns that ``coef_`` is for.
    coefficients_ : DataFrame
        Coefficients of the selected variables by encoded column, with standard errors and intervals of 95 %; of
        networks and trees mean slopes. As a dict: ``summary_["coefficients"]``.
    influence_ : dict or None
        What matters to boosted trees: by encoded column how much predictions change (root mean square) if its
        values are dealt out anew among the rows. For other models None.
    intercept_ : float or ndarray
        The constant. Not for networks and trees.
    weights_ : ndarray of shape (n_samples,)
        The rows' weights, mean 1.
    n_eff_ : float
        Effective sample size of the weights.
    history_ : list of dict
        Every loop.
    n_iter_ : int
        Loops taken.
    converged_ : bool
        Whether every part converged.
    findings_ : list of dict
        What to watch out for: code, variables, figures and words.
    summary_ : dict
        All of it, with the keys of the command line's ``--format json``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X had any.
    """

    _core_name = "svi-d"
    _parameters: ClassVar[dict[str, str]] = {
        "gates": "gates",
        "stable": "stable",
        "unstable": "unstable",
        "evidence": "evidence",
        "evidence_rows": "evidence-rows",
        "threshold": "threshold",
        "n_features_to_select": "select",
        "fdr": "fdr",
        "resamples": "resamples",
        "least_frequency": "least-frequency",
        "max_iter": "loops",
        "moving_average": "moving-average",
        "sigma": "sigma",
        "penalty_factor": "penalty-factor",
        "penalty": "penalty",
        "reweighter": "reweighter",
        "divergence": "divergence",
        "means": "means",
        "ridge": "ridge",
        "balance_tolerance": "balance-tolerance",
        "balance_steps": "balance-steps",
        "refit": "refit",
        "remember": "remember",
        "outlier_limit": "outlier-limit",
        "weight_kind": "weight-kind",
        "missing": "missing",
        "max_levels": "max-levels",
        "random_state": "seed",
        "n_jobs": "threads",
    }
    _none_is_a_choice: ClassVar[tuple[str, ...]] = ("evidence",)

    def __init__(
        self,
        *,
        gates: Literal["linear", "network"] = "linear",
        stable: Columns = (),
        unstable: Columns = (),
        evidence: Literal["auto", "focused", "residual", "network"] | None = None,
        evidence_rows: int = 50_000,
        threshold: float = 0.5,
        n_features_to_select: int | None = None,
        fdr: float | None = None,
        resamples: int | None = None,
        least_frequency: float = 0.5,
        max_iter: int = 1,
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
        outlier_limit: float = 4.0,
        weight_kind: Literal["survey", "frequency"] = "survey",
        missing: Literal["refuse", "drop", "mean"] = "refuse",
        max_levels: int = 100,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.gates = gates
        self.stable = stable
        self.unstable = unstable
        self.evidence = evidence
        self.evidence_rows = evidence_rows
        self.threshold = threshold
        self.n_features_to_select = n_features_to_select
        self.fdr = fdr
        self.resamples = resamples
        self.least_frequency = least_frequency
        self.max_iter = max_iter
        self.moving_average = moving_average
        self.sigma = sigma
        self.penalty_factor = penalty_factor
        self.penalty = penalty
        self.reweighter = reweighter
        self.divergence = divergence
        self.means = means
        self.ridge = ridge
        self.balance_tolerance = balance_tolerance
        self.balance_steps = balance_steps
        self.refit = refit
        self.remember = remember
        self.outlier_limit = outlier_limit
        self.weight_kind = weight_kind
        self.missing = missing
        self.max_levels = max_levels
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class SVIDClassifier(Classification, StableModel):
    """Algorithm 1 as published with one loop: weights once, then gates decide; for two classes.

    Parameters
    ----------
    gates : {"linear", "network"}, default="linear"
        What the gates stand before. "linear": a linear model. "network": a network.
    stable : str, int or sequence of these, default=()
        Columns, by their names or positions, known to be stable: always in the set, and judged all the same.
    unstable : str, int or sequence of these, default=()
        Columns, by their names or positions, known to be unstable: never in the set, and judged all the same.
    evidence : {"auto", "focused", "residual", "network"} or None, default=None
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
    max_iter : int in [1, inf), default=1
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
    outlier_limit : float in (0, inf), default=4.0
        Standard deviations beyond which residuals of the outcome are clipped, in robust refits and in residual
        evidence.
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

    Attributes
    ----------
    selected_ : ndarray of str
        Names of the selected variables.
    probability_ : ndarray of shape (n_features_in_,)
        Probability of being stable; that of an open gate where there is no evidence. Also as ``open_probability_``.
    evidence_ : DataFrame or None
        For each variable the probability, the effect given all others with its standard error and interval of 95 %,
        t, p-value, effect size, how far repeats differ (spread), whether it is doubtful, and what could take its
        place (alternatives). As a dict: ``summary_["evidence"]``.
    sufficiency_ : dict or None
        Whether the selected variables predict as well as all, in the training data: ``loss_selected``,
        ``loss_all``, ``difference``, ``standard_error``, ``sufficient``.
    told_ : dict of str to str
        Columns that were told to be "stable" or "unstable".
    environments_ : dict or None
        With ``env``: the slopes of the selected variables in every environment (``effects``), and a test whether
        they differ.
    coef_ : ndarray
        Coefficients in the units of the data, 0 for variables left out: one per feature, for a text column one per
        encoded level. ``coef_names_`` names them. Not for networks and trees.
    coef_names_ : list of str
        The encoded columns that ``coef_`` is for.
    coefficients_ : DataFrame
        Coefficients of the selected variables by encoded column, with standard errors and intervals of 95 %; of
        networks and trees mean slopes. As a dict: ``summary_["coefficients"]``.
    influence_ : dict or None
        What matters to boosted trees: by encoded column how much predictions change (root mean square) if its
        values are dealt out anew among the rows. For other models None.
    intercept_ : float or ndarray
        The constant. Not for networks and trees.
    weights_ : ndarray of shape (n_samples,)
        The rows' weights, mean 1.
    n_eff_ : float
        Effective sample size of the weights.
    history_ : list of dict
        Every loop.
    n_iter_ : int
        Loops taken.
    converged_ : bool
        Whether every part converged.
    findings_ : list of dict
        What to watch out for: code, variables, figures and words.
    summary_ : dict
        All of it, with the keys of the command line's ``--format json``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X had any.
    classes_ : ndarray of shape (2,)
        The two classes.
    """

    _core_name = "svi-d"
    _parameters: ClassVar[dict[str, str]] = {
        "gates": "gates",
        "stable": "stable",
        "unstable": "unstable",
        "evidence": "evidence",
        "evidence_rows": "evidence-rows",
        "threshold": "threshold",
        "n_features_to_select": "select",
        "fdr": "fdr",
        "resamples": "resamples",
        "least_frequency": "least-frequency",
        "max_iter": "loops",
        "moving_average": "moving-average",
        "sigma": "sigma",
        "penalty_factor": "penalty-factor",
        "penalty": "penalty",
        "reweighter": "reweighter",
        "divergence": "divergence",
        "means": "means",
        "ridge": "ridge",
        "balance_tolerance": "balance-tolerance",
        "balance_steps": "balance-steps",
        "refit": "refit",
        "remember": "remember",
        "outlier_limit": "outlier-limit",
        "weight_kind": "weight-kind",
        "missing": "missing",
        "max_levels": "max-levels",
        "random_state": "seed",
        "n_jobs": "threads",
    }
    _none_is_a_choice: ClassVar[tuple[str, ...]] = ("evidence",)

    def __init__(
        self,
        *,
        gates: Literal["linear", "network"] = "linear",
        stable: Columns = (),
        unstable: Columns = (),
        evidence: Literal["auto", "focused", "residual", "network"] | None = None,
        evidence_rows: int = 50_000,
        threshold: float = 0.5,
        n_features_to_select: int | None = None,
        fdr: float | None = None,
        resamples: int | None = None,
        least_frequency: float = 0.5,
        max_iter: int = 1,
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
        outlier_limit: float = 4.0,
        weight_kind: Literal["survey", "frequency"] = "survey",
        missing: Literal["refuse", "drop", "mean"] = "refuse",
        max_levels: int = 100,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.gates = gates
        self.stable = stable
        self.unstable = unstable
        self.evidence = evidence
        self.evidence_rows = evidence_rows
        self.threshold = threshold
        self.n_features_to_select = n_features_to_select
        self.fdr = fdr
        self.resamples = resamples
        self.least_frequency = least_frequency
        self.max_iter = max_iter
        self.moving_average = moving_average
        self.sigma = sigma
        self.penalty_factor = penalty_factor
        self.penalty = penalty
        self.reweighter = reweighter
        self.divergence = divergence
        self.means = means
        self.ridge = ridge
        self.balance_tolerance = balance_tolerance
        self.balance_steps = balance_steps
        self.refit = refit
        self.remember = remember
        self.outlier_limit = outlier_limit
        self.weight_kind = weight_kind
        self.missing = missing
        self.max_levels = max_levels
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class NonlinearSVIRegressor(Regression, StableModel):
    """Algorithm 1 for effects of any shape: independence weights, a gated network, then a network on the stable
    variables; for numbers.

    Parameters
    ----------
    gates : {"linear", "network"}, default="network"
        What the gates stand before. "linear": a linear model. "network": a network.
    stable : str, int or sequence of these, default=()
        Columns, by their names or positions, known to be stable: always in the set, and judged all the same.
    unstable : str, int or sequence of these, default=()
        Columns, by their names or positions, known to be unstable: never in the set, and judged all the same.
    evidence : {"auto", "focused", "residual", "network"} or None, default="network"
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
    max_iter : int in [1, inf), default=1
        Most loops of Algorithm 1.
    moving_average : int in [1, inf), default=3
        Loops the soft mask is averaged over.
    sigma : float in (0, inf) or None, default=None
        Noise of the gates. ``None``: 0.7; before a network 0.5.
    penalty : float in [0, inf) or None, default=None
        Cost of an open gate (the paper's lambda) as a share of the outcome's variance. ``None``: chosen from the
        data. Takes the place of ``penalty_factor``.
    reweighter : {"balance", "dwr", "srdo"}, default="srdo"
        How weights are found. "balance": the weights closest to uniform, by a small convex problem. "dwr": as
        published: one free weight per row, by gradient descent. "srdo": a ratio of densities: also removes
        dependence that correlations do not see.
    classifier : {"network", "quadratic"}, default="network"
        What tells shuffled from original rows. "network": a network. "quadratic": logistic regression on the
        columns, their squares and products.
    weight_limit : float in (0, inf), default=20.0
        A larger ratio of densities is cut off there.
    folds : int in [2, inf), default=3
        Parts of the rows for cross-fitting the ratio of densities, or for the Lasso's cross-validation.
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
    outlier_limit : float in (0, inf), default=4.0
        Standard deviations beyond which residuals of the outcome are clipped, in robust refits and in residual
        evidence.
    hidden : int or sequence of int in [1, 65536], default=(10,)
        Units of each hidden layer of the refitted network, as in 10 or 64,32.
    solver : {"auto", "adam", "lbfgs"}, default="auto"
        How the refitted network's weights are found. "auto": Adam for many rows, L-BFGS for few. "adam": steps on
        mini-batches. "lbfgs": quasi-Newton steps on all rows.
    learning_rate : float in (0, inf), default=0.01
        Length of a step of Adam: the refitted network's first, or the published descent's.
    epochs : int in [1, inf), default=100
        Most times all rows are seen by the refitted network.
    batch_size : int in [1, inf), default=128
        Rows of a mini-batch of the refitted network.
    decay : float in [0, inf), default=0.0001
        Ridge on the refitted network's weights.
    restarts : int in [1, inf), default=3
        Random starts of the refitted network, of which the best on held-out rows is kept.
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

    Attributes
    ----------
    selected_ : ndarray of str
        Names of the selected variables.
    probability_ : ndarray of shape (n_features_in_,)
        Probability of being stable; that of an open gate where there is no evidence. Also as ``open_probability_``.
    evidence_ : DataFrame or None
        For each variable the probability, the effect given all others with its standard error and interval of 95 %,
        t, p-value, effect size, how far repeats differ (spread), whether it is doubtful, and what could take its
        place (alternatives). As a dict: ``summary_["evidence"]``.
    sufficiency_ : dict or None
        Whether the selected variables predict as well as all, in the training data: ``loss_selected``,
        ``loss_all``, ``difference``, ``standard_error``, ``sufficient``.
    told_ : dict of str to str
        Columns that were told to be "stable" or "unstable".
    environments_ : dict or None
        With ``env``: the slopes of the selected variables in every environment (``effects``), and a test whether
        they differ.
    coef_ : ndarray
        Coefficients in the units of the data, 0 for variables left out: one per feature, for a text column one per
        encoded level. ``coef_names_`` names them. Not for networks and trees.
    coef_names_ : list of str
        The encoded columns that ``coef_`` is for.
    coefficients_ : DataFrame
        Coefficients of the selected variables by encoded column, with standard errors and intervals of 95 %; of
        networks and trees mean slopes. As a dict: ``summary_["coefficients"]``.
    influence_ : dict or None
        What matters to boosted trees: by encoded column how much predictions change (root mean square) if its
        values are dealt out anew among the rows. For other models None.
    intercept_ : float or ndarray
        The constant. Not for networks and trees.
    weights_ : ndarray of shape (n_samples,)
        The rows' weights, mean 1.
    n_eff_ : float
        Effective sample size of the weights.
    history_ : list of dict
        Every loop.
    n_iter_ : int
        Loops taken.
    converged_ : bool
        Whether every part converged.
    findings_ : list of dict
        What to watch out for: code, variables, figures and words.
    summary_ : dict
        All of it, with the keys of the command line's ``--format json``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X had any.

    Examples
    --------
    >>> from stablevar import NonlinearSVIRegressor
    >>> from stablevar.datasets import make_biased_nonlinear
    >>> X, y = make_biased_nonlinear(n_samples=6000, r=2.0, random_state=0)
    >>> model = NonlinearSVIRegressor().fit(X, y)
    >>> model.get_support(indices=True).tolist()
    [0, 1, 2, 3, 4]
    """

    _core_name = "nonlinear-svi"
    _parameters: ClassVar[dict[str, str]] = {
        "gates": "gates",
        "stable": "stable",
        "unstable": "unstable",
        "evidence": "evidence",
        "evidence_rows": "evidence-rows",
        "threshold": "threshold",
        "n_features_to_select": "select",
        "fdr": "fdr",
        "resamples": "resamples",
        "least_frequency": "least-frequency",
        "max_iter": "loops",
        "moving_average": "moving-average",
        "sigma": "sigma",
        "penalty": "penalty",
        "reweighter": "reweighter",
        "classifier": "classifier",
        "weight_limit": "weight-limit",
        "folds": "folds",
        "refit": "refit",
        "remember": "remember",
        "outlier_limit": "outlier-limit",
        "hidden": "hidden",
        "solver": "solver",
        "learning_rate": "learning-rate",
        "epochs": "epochs",
        "batch_size": "batch-size",
        "decay": "decay",
        "restarts": "restarts",
        "weight_kind": "weight-kind",
        "missing": "missing",
        "max_levels": "max-levels",
        "random_state": "seed",
        "n_jobs": "threads",
    }
    _none_is_a_choice: ClassVar[tuple[str, ...]] = ("evidence",)

    def __init__(
        self,
        *,
        gates: Literal["linear", "network"] = "network",
        stable: Columns = (),
        unstable: Columns = (),
        evidence: Literal["auto", "focused", "residual", "network"] | None = "network",
        evidence_rows: int = 50_000,
        threshold: float = 0.5,
        n_features_to_select: int | None = None,
        fdr: float | None = None,
        resamples: int | None = None,
        least_frequency: float = 0.5,
        max_iter: int = 1,
        moving_average: int = 3,
        sigma: float | None = None,
        penalty: float | None = None,
        reweighter: Literal["balance", "dwr", "srdo"] = "srdo",
        classifier: Literal["network", "quadratic"] = "network",
        weight_limit: float = 20.0,
        folds: int = 3,
        refit: Literal["auto", "linear", "robust", "ridge", "network", "trees", "kept"] = "auto",
        remember: int = 4000,
        outlier_limit: float = 4.0,
        hidden: int | Sequence[int] = (10,),
        solver: Literal["auto", "adam", "lbfgs"] = "auto",
        learning_rate: float = 0.01,
        epochs: int = 100,
        batch_size: int = 128,
        decay: float = 0.0001,
        restarts: int = 3,
        weight_kind: Literal["survey", "frequency"] = "survey",
        missing: Literal["refuse", "drop", "mean"] = "refuse",
        max_levels: int = 100,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.gates = gates
        self.stable = stable
        self.unstable = unstable
        self.evidence = evidence
        self.evidence_rows = evidence_rows
        self.threshold = threshold
        self.n_features_to_select = n_features_to_select
        self.fdr = fdr
        self.resamples = resamples
        self.least_frequency = least_frequency
        self.max_iter = max_iter
        self.moving_average = moving_average
        self.sigma = sigma
        self.penalty = penalty
        self.reweighter = reweighter
        self.classifier = classifier
        self.weight_limit = weight_limit
        self.folds = folds
        self.refit = refit
        self.remember = remember
        self.outlier_limit = outlier_limit
        self.hidden = hidden
        self.solver = solver
        self.learning_rate = learning_rate
        self.epochs = epochs
        self.batch_size = batch_size
        self.decay = decay
        self.restarts = restarts
        self.weight_kind = weight_kind
        self.missing = missing
        self.max_levels = max_levels
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class NonlinearSVIClassifier(Classification, StableModel):
    """Algorithm 1 for effects of any shape: independence weights, a gated network, then a network on the stable
    variables; for two classes.

    Parameters
    ----------
    gates : {"linear", "network"}, default="network"
        What the gates stand before. "linear": a linear model. "network": a network.
    stable : str, int or sequence of these, default=()
        Columns, by their names or positions, known to be stable: always in the set, and judged all the same.
    unstable : str, int or sequence of these, default=()
        Columns, by their names or positions, known to be unstable: never in the set, and judged all the same.
    evidence : {"auto", "focused", "residual", "network"} or None, default="network"
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
    max_iter : int in [1, inf), default=1
        Most loops of Algorithm 1.
    moving_average : int in [1, inf), default=3
        Loops the soft mask is averaged over.
    sigma : float in (0, inf) or None, default=None
        Noise of the gates. ``None``: 0.7; before a network 0.5.
    penalty : float in [0, inf) or None, default=None
        Cost of an open gate (the paper's lambda) as a share of the outcome's variance. ``None``: chosen from the
        data. Takes the place of ``penalty_factor``.
    reweighter : {"balance", "dwr", "srdo"}, default="srdo"
        How weights are found. "balance": the weights closest to uniform, by a small convex problem. "dwr": as
        published: one free weight per row, by gradient descent. "srdo": a ratio of densities: also removes
        dependence that correlations do not see.
    classifier : {"network", "quadratic"}, default="network"
        What tells shuffled from original rows. "network": a network. "quadratic": logistic regression on the
        columns, their squares and products.
    weight_limit : float in (0, inf), default=20.0
        A larger ratio of densities is cut off there.
    folds : int in [2, inf), default=3
        Parts of the rows for cross-fitting the ratio of densities, or for the Lasso's cross-validation.
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
    outlier_limit : float in (0, inf), default=4.0
        Standard deviations beyond which residuals of the outcome are clipped, in robust refits and in residual
        evidence.
    hidden : int or sequence of int in [1, 65536], default=(10,)
        Units of each hidden layer of the refitted network, as in 10 or 64,32.
    solver : {"auto", "adam", "lbfgs"}, default="auto"
        How the refitted network's weights are found. "auto": Adam for many rows, L-BFGS for few. "adam": steps on
        mini-batches. "lbfgs": quasi-Newton steps on all rows.
    learning_rate : float in (0, inf), default=0.01
        Length of a step of Adam: the refitted network's first, or the published descent's.
    epochs : int in [1, inf), default=100
        Most times all rows are seen by the refitted network.
    batch_size : int in [1, inf), default=128
        Rows of a mini-batch of the refitted network.
    decay : float in [0, inf), default=0.0001
        Ridge on the refitted network's weights.
    restarts : int in [1, inf), default=3
        Random starts of the refitted network, of which the best on held-out rows is kept.
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

    Attributes
    ----------
    selected_ : ndarray of str
        Names of the selected variables.
    probability_ : ndarray of shape (n_features_in_,)
        Probability of being stable; that of an open gate where there is no evidence. Also as ``open_probability_``.
    evidence_ : DataFrame or None
        For each variable the probability, the effect given all others with its standard error and interval of 95 %,
        t, p-value, effect size, how far repeats differ (spread), whether it is doubtful, and what could take its
        place (alternatives). As a dict: ``summary_["evidence"]``.
    sufficiency_ : dict or None
        Whether the selected variables predict as well as all, in the training data: ``loss_selected``,
        ``loss_all``, ``difference``, ``standard_error``, ``sufficient``.
    told_ : dict of str to str
        Columns that were told to be "stable" or "unstable".
    environments_ : dict or None
        With ``env``: the slopes of the selected variables in every environment (``effects``), and a test whether
        they differ.
    coef_ : ndarray
        Coefficients in the units of the data, 0 for variables left out: one per feature, for a text column one per
        encoded level. ``coef_names_`` names them. Not for networks and trees.
    coef_names_ : list of str
        The encoded columns that ``coef_`` is for.
    coefficients_ : DataFrame
        Coefficients of the selected variables by encoded column, with standard errors and intervals of 95 %; of
        networks and trees mean slopes. As a dict: ``summary_["coefficients"]``.
    influence_ : dict or None
        What matters to boosted trees: by encoded column how much predictions change (root mean square) if its
        values are dealt out anew among the rows. For other models None.
    intercept_ : float or ndarray
        The constant. Not for networks and trees.
    weights_ : ndarray of shape (n_samples,)
        The rows' weights, mean 1.
    n_eff_ : float
        Effective sample size of the weights.
    history_ : list of dict
        Every loop.
    n_iter_ : int
        Loops taken.
    converged_ : bool
        Whether every part converged.
    findings_ : list of dict
        What to watch out for: code, variables, figures and words.
    summary_ : dict
        All of it, with the keys of the command line's ``--format json``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X had any.
    classes_ : ndarray of shape (2,)
        The two classes.
    """

    _core_name = "nonlinear-svi"
    _parameters: ClassVar[dict[str, str]] = {
        "gates": "gates",
        "stable": "stable",
        "unstable": "unstable",
        "evidence": "evidence",
        "evidence_rows": "evidence-rows",
        "threshold": "threshold",
        "n_features_to_select": "select",
        "fdr": "fdr",
        "resamples": "resamples",
        "least_frequency": "least-frequency",
        "max_iter": "loops",
        "moving_average": "moving-average",
        "sigma": "sigma",
        "penalty": "penalty",
        "reweighter": "reweighter",
        "classifier": "classifier",
        "weight_limit": "weight-limit",
        "folds": "folds",
        "refit": "refit",
        "remember": "remember",
        "outlier_limit": "outlier-limit",
        "hidden": "hidden",
        "solver": "solver",
        "learning_rate": "learning-rate",
        "epochs": "epochs",
        "batch_size": "batch-size",
        "decay": "decay",
        "restarts": "restarts",
        "weight_kind": "weight-kind",
        "missing": "missing",
        "max_levels": "max-levels",
        "random_state": "seed",
        "n_jobs": "threads",
    }
    _none_is_a_choice: ClassVar[tuple[str, ...]] = ("evidence",)

    def __init__(
        self,
        *,
        gates: Literal["linear", "network"] = "network",
        stable: Columns = (),
        unstable: Columns = (),
        evidence: Literal["auto", "focused", "residual", "network"] | None = "network",
        evidence_rows: int = 50_000,
        threshold: float = 0.5,
        n_features_to_select: int | None = None,
        fdr: float | None = None,
        resamples: int | None = None,
        least_frequency: float = 0.5,
        max_iter: int = 1,
        moving_average: int = 3,
        sigma: float | None = None,
        penalty: float | None = None,
        reweighter: Literal["balance", "dwr", "srdo"] = "srdo",
        classifier: Literal["network", "quadratic"] = "network",
        weight_limit: float = 20.0,
        folds: int = 3,
        refit: Literal["auto", "linear", "robust", "ridge", "network", "trees", "kept"] = "auto",
        remember: int = 4000,
        outlier_limit: float = 4.0,
        hidden: int | Sequence[int] = (10,),
        solver: Literal["auto", "adam", "lbfgs"] = "auto",
        learning_rate: float = 0.01,
        epochs: int = 100,
        batch_size: int = 128,
        decay: float = 0.0001,
        restarts: int = 3,
        weight_kind: Literal["survey", "frequency"] = "survey",
        missing: Literal["refuse", "drop", "mean"] = "refuse",
        max_levels: int = 100,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.gates = gates
        self.stable = stable
        self.unstable = unstable
        self.evidence = evidence
        self.evidence_rows = evidence_rows
        self.threshold = threshold
        self.n_features_to_select = n_features_to_select
        self.fdr = fdr
        self.resamples = resamples
        self.least_frequency = least_frequency
        self.max_iter = max_iter
        self.moving_average = moving_average
        self.sigma = sigma
        self.penalty = penalty
        self.reweighter = reweighter
        self.classifier = classifier
        self.weight_limit = weight_limit
        self.folds = folds
        self.refit = refit
        self.remember = remember
        self.outlier_limit = outlier_limit
        self.hidden = hidden
        self.solver = solver
        self.learning_rate = learning_rate
        self.epochs = epochs
        self.batch_size = batch_size
        self.decay = decay
        self.restarts = restarts
        self.weight_kind = weight_kind
        self.missing = missing
        self.max_levels = max_levels
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class OLSRegressor(Regression, StableModel):
    """Least squares on all variables; for numbers.

    Parameters
    ----------
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

    Attributes
    ----------
    selected_ : ndarray of str
        Names of the selected variables.
    probability_ : ndarray of shape (n_features_in_,)
        Probability of being stable; that of an open gate where there is no evidence. Also as ``open_probability_``.
    evidence_ : DataFrame or None
        For each variable the probability, the effect given all others with its standard error and interval of 95 %,
        t, p-value, effect size, how far repeats differ (spread), whether it is doubtful, and what could take its
        place (alternatives). As a dict: ``summary_["evidence"]``.
    sufficiency_ : dict or None
        Whether the selected variables predict as well as all, in the training data: ``loss_selected``,
        ``loss_all``, ``difference``, ``standard_error``, ``sufficient``.
    told_ : dict of str to str
        Columns that were told to be "stable" or "unstable".
    environments_ : dict or None
        With ``env``: the slopes of the selected variables in every environment (``effects``), and a test whether
        they differ.
    coef_ : ndarray
        Coefficients in the units of the data, 0 for variables left out: one per feature, for a text column one per
        encoded level. ``coef_names_`` names them. Not for networks and trees.
    coef_names_ : list of str
        The encoded columns that ``coef_`` is for.
    coefficients_ : DataFrame
        Coefficients of the selected variables by encoded column, with standard errors and intervals of 95 %; of
        networks and trees mean slopes. As a dict: ``summary_["coefficients"]``.
    influence_ : dict or None
        What matters to boosted trees: by encoded column how much predictions change (root mean square) if its
        values are dealt out anew among the rows. For other models None.
    intercept_ : float or ndarray
        The constant. Not for networks and trees.
    weights_ : ndarray of shape (n_samples,)
        The rows' weights, mean 1.
    n_eff_ : float
        Effective sample size of the weights.
    history_ : list of dict
        Every loop.
    n_iter_ : int
        Loops taken.
    converged_ : bool
        Whether every part converged.
    findings_ : list of dict
        What to watch out for: code, variables, figures and words.
    summary_ : dict
        All of it, with the keys of the command line's ``--format json``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X had any.
    """

    _core_name = "ols"
    _parameters: ClassVar[dict[str, str]] = {
        "refit": "refit",
        "remember": "remember",
        "weight_kind": "weight-kind",
        "missing": "missing",
        "max_levels": "max-levels",
        "random_state": "seed",
        "n_jobs": "threads",
    }
    _none_is_a_choice: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        *,
        refit: Literal["auto", "linear", "robust", "ridge", "network", "trees", "kept"] = "auto",
        remember: int = 4000,
        weight_kind: Literal["survey", "frequency"] = "survey",
        missing: Literal["refuse", "drop", "mean"] = "refuse",
        max_levels: int = 100,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.refit = refit
        self.remember = remember
        self.weight_kind = weight_kind
        self.missing = missing
        self.max_levels = max_levels
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class LassoRegressor(Regression, StableModel):
    """The Lasso, its penalty by cross-validation; for numbers.

    Parameters
    ----------
    stable : str, int or sequence of these, default=()
        Columns, by their names or positions, known to be stable: always in the set, and judged all the same.
    unstable : str, int or sequence of these, default=()
        Columns, by their names or positions, known to be unstable: never in the set, and judged all the same.
    folds : int in [2, inf), default=5
        Parts of the rows for cross-fitting the ratio of densities, or for the Lasso's cross-validation.
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
    alpha : float in (0, inf) or None, default=None
        The Lasso's penalty, for standardised columns and outcome. ``None``: by cross-validation.
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

    Attributes
    ----------
    selected_ : ndarray of str
        Names of the selected variables.
    probability_ : ndarray of shape (n_features_in_,)
        Probability of being stable; that of an open gate where there is no evidence. Also as ``open_probability_``.
    evidence_ : DataFrame or None
        For each variable the probability, the effect given all others with its standard error and interval of 95 %,
        t, p-value, effect size, how far repeats differ (spread), whether it is doubtful, and what could take its
        place (alternatives). As a dict: ``summary_["evidence"]``.
    sufficiency_ : dict or None
        Whether the selected variables predict as well as all, in the training data: ``loss_selected``,
        ``loss_all``, ``difference``, ``standard_error``, ``sufficient``.
    told_ : dict of str to str
        Columns that were told to be "stable" or "unstable".
    environments_ : dict or None
        With ``env``: the slopes of the selected variables in every environment (``effects``), and a test whether
        they differ.
    coef_ : ndarray
        Coefficients in the units of the data, 0 for variables left out: one per feature, for a text column one per
        encoded level. ``coef_names_`` names them. Not for networks and trees.
    coef_names_ : list of str
        The encoded columns that ``coef_`` is for.
    coefficients_ : DataFrame
        Coefficients of the selected variables by encoded column, with standard errors and intervals of 95 %; of
        networks and trees mean slopes. As a dict: ``summary_["coefficients"]``.
    influence_ : dict or None
        What matters to boosted trees: by encoded column how much predictions change (root mean square) if its
        values are dealt out anew among the rows. For other models None.
    intercept_ : float or ndarray
        The constant. Not for networks and trees.
    weights_ : ndarray of shape (n_samples,)
        The rows' weights, mean 1.
    n_eff_ : float
        Effective sample size of the weights.
    history_ : list of dict
        Every loop.
    n_iter_ : int
        Loops taken.
    converged_ : bool
        Whether every part converged.
    findings_ : list of dict
        What to watch out for: code, variables, figures and words.
    summary_ : dict
        All of it, with the keys of the command line's ``--format json``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X had any.
    """

    _core_name = "lasso"
    _parameters: ClassVar[dict[str, str]] = {
        "stable": "stable",
        "unstable": "unstable",
        "folds": "folds",
        "refit": "refit",
        "remember": "remember",
        "alpha": "alpha",
        "weight_kind": "weight-kind",
        "missing": "missing",
        "max_levels": "max-levels",
        "random_state": "seed",
        "n_jobs": "threads",
    }
    _none_is_a_choice: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        *,
        stable: Columns = (),
        unstable: Columns = (),
        folds: int = 5,
        refit: Literal["auto", "linear", "robust", "ridge", "network", "trees", "kept"] = "auto",
        remember: int = 4000,
        alpha: float | None = None,
        weight_kind: Literal["survey", "frequency"] = "survey",
        missing: Literal["refuse", "drop", "mean"] = "refuse",
        max_levels: int = 100,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.stable = stable
        self.unstable = unstable
        self.folds = folds
        self.refit = refit
        self.remember = remember
        self.alpha = alpha
        self.weight_kind = weight_kind
        self.missing = missing
        self.max_levels = max_levels
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class RidgeRegressor(Regression, StableModel):
    """Ridge regression on all variables, its penalty by generalised cross-validation; for numbers.

    Parameters
    ----------
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
    shrinkage : float in [0, inf) or None, default=None
        Penalty of ridge regression, for standardised columns and outcome. ``None``: by generalised cross-
        validation.
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

    Attributes
    ----------
    selected_ : ndarray of str
        Names of the selected variables.
    probability_ : ndarray of shape (n_features_in_,)
        Probability of being stable; that of an open gate where there is no evidence. Also as ``open_probability_``.
    evidence_ : DataFrame or None
        For each variable the probability, the effect given all others with its standard error and interval of 95 %,
        t, p-value, effect size, how far repeats differ (spread), whether it is doubtful, and what could take its
        place (alternatives). As a dict: ``summary_["evidence"]``.
    sufficiency_ : dict or None
        Whether the selected variables predict as well as all, in the training data: ``loss_selected``,
        ``loss_all``, ``difference``, ``standard_error``, ``sufficient``.
    told_ : dict of str to str
        Columns that were told to be "stable" or "unstable".
    environments_ : dict or None
        With ``env``: the slopes of the selected variables in every environment (``effects``), and a test whether
        they differ.
    coef_ : ndarray
        Coefficients in the units of the data, 0 for variables left out: one per feature, for a text column one per
        encoded level. ``coef_names_`` names them. Not for networks and trees.
    coef_names_ : list of str
        The encoded columns that ``coef_`` is for.
    coefficients_ : DataFrame
        Coefficients of the selected variables by encoded column, with standard errors and intervals of 95 %; of
        networks and trees mean slopes. As a dict: ``summary_["coefficients"]``.
    influence_ : dict or None
        What matters to boosted trees: by encoded column how much predictions change (root mean square) if its
        values are dealt out anew among the rows. For other models None.
    intercept_ : float or ndarray
        The constant. Not for networks and trees.
    weights_ : ndarray of shape (n_samples,)
        The rows' weights, mean 1.
    n_eff_ : float
        Effective sample size of the weights.
    history_ : list of dict
        Every loop.
    n_iter_ : int
        Loops taken.
    converged_ : bool
        Whether every part converged.
    findings_ : list of dict
        What to watch out for: code, variables, figures and words.
    summary_ : dict
        All of it, with the keys of the command line's ``--format json``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X had any.
    """

    _core_name = "ridge"
    _parameters: ClassVar[dict[str, str]] = {
        "refit": "refit",
        "remember": "remember",
        "shrinkage": "shrinkage",
        "weight_kind": "weight-kind",
        "missing": "missing",
        "max_levels": "max-levels",
        "random_state": "seed",
        "n_jobs": "threads",
    }
    _none_is_a_choice: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        *,
        refit: Literal["auto", "linear", "robust", "ridge", "network", "trees", "kept"] = "auto",
        remember: int = 4000,
        shrinkage: float | None = None,
        weight_kind: Literal["survey", "frequency"] = "survey",
        missing: Literal["refuse", "drop", "mean"] = "refuse",
        max_levels: int = 100,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.refit = refit
        self.remember = remember
        self.shrinkage = shrinkage
        self.weight_kind = weight_kind
        self.missing = missing
        self.max_levels = max_levels
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class STGRegressor(Regression, StableModel):
    """Gates without weights, then a model on the variables whose gates are open; for numbers.

    Parameters
    ----------
    gates : {"linear", "network"}, default="linear"
        What the gates stand before. "linear": a linear model. "network": a network.
    stable : str, int or sequence of these, default=()
        Columns, by their names or positions, known to be stable: always in the set, and judged all the same.
    unstable : str, int or sequence of these, default=()
        Columns, by their names or positions, known to be unstable: never in the set, and judged all the same.
    threshold : float in [0, 1], default=0.5
        Probability from which a variable is selected.
    n_features_to_select : int in [1, inf) or None, default=None
        Select this many, the most probable, instead of by a threshold. ``None``: as many as pass the threshold.
        Takes the place of ``threshold``.
    sigma : float in (0, inf) or None, default=None
        Noise of the gates. ``None``: 0.7; before a network 0.5.
    penalty_factor : float in (0, inf), default=0.75
        Multiplies the automatic cost of an open gate.
    penalty : float in [0, inf) or None, default=None
        Cost of an open gate (the paper's lambda) as a share of the outcome's variance. ``None``: chosen from the
        data. Takes the place of ``penalty_factor``.
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
    hidden : int or sequence of int in [1, 65536], default=(10,)
        Units of each hidden layer of the refitted network, as in 10 or 64,32.
    solver : {"auto", "adam", "lbfgs"}, default="auto"
        How the refitted network's weights are found. "auto": Adam for many rows, L-BFGS for few. "adam": steps on
        mini-batches. "lbfgs": quasi-Newton steps on all rows.
    learning_rate : float in (0, inf), default=0.01
        Length of a step of Adam: the refitted network's first, or the published descent's.
    epochs : int in [1, inf), default=100
        Most times all rows are seen by the refitted network.
    batch_size : int in [1, inf), default=128
        Rows of a mini-batch of the refitted network.
    decay : float in [0, inf), default=0.0001
        Ridge on the refitted network's weights.
    restarts : int in [1, inf), default=3
        Random starts of the refitted network, of which the best on held-out rows is kept.
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

    Attributes
    ----------
    selected_ : ndarray of str
        Names of the selected variables.
    probability_ : ndarray of shape (n_features_in_,)
        Probability of being stable; that of an open gate where there is no evidence. Also as ``open_probability_``.
    evidence_ : DataFrame or None
        For each variable the probability, the effect given all others with its standard error and interval of 95 %,
        t, p-value, effect size, how far repeats differ (spread), whether it is doubtful, and what could take its
        place (alternatives). As a dict: ``summary_["evidence"]``.
    sufficiency_ : dict or None
        Whether the selected variables predict as well as all, in the training data: ``loss_selected``,
        ``loss_all``, ``difference``, ``standard_error``, ``sufficient``.
    told_ : dict of str to str
        Columns that were told to be "stable" or "unstable".
    environments_ : dict or None
        With ``env``: the slopes of the selected variables in every environment (``effects``), and a test whether
        they differ.
    coef_ : ndarray
        Coefficients in the units of the data, 0 for variables left out: one per feature, for a text column one per
        encoded level. ``coef_names_`` names them. Not for networks and trees.
    coef_names_ : list of str
        The encoded columns that ``coef_`` is for.
    coefficients_ : DataFrame
        Coefficients of the selected variables by encoded column, with standard errors and intervals of 95 %; of
        networks and trees mean slopes. As a dict: ``summary_["coefficients"]``.
    influence_ : dict or None
        What matters to boosted trees: by encoded column how much predictions change (root mean square) if its
        values are dealt out anew among the rows. For other models None.
    intercept_ : float or ndarray
        The constant. Not for networks and trees.
    weights_ : ndarray of shape (n_samples,)
        The rows' weights, mean 1.
    n_eff_ : float
        Effective sample size of the weights.
    history_ : list of dict
        Every loop.
    n_iter_ : int
        Loops taken.
    converged_ : bool
        Whether every part converged.
    findings_ : list of dict
        What to watch out for: code, variables, figures and words.
    summary_ : dict
        All of it, with the keys of the command line's ``--format json``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X had any.
    """

    _core_name = "stg"
    _parameters: ClassVar[dict[str, str]] = {
        "gates": "gates",
        "stable": "stable",
        "unstable": "unstable",
        "threshold": "threshold",
        "n_features_to_select": "select",
        "sigma": "sigma",
        "penalty_factor": "penalty-factor",
        "penalty": "penalty",
        "refit": "refit",
        "remember": "remember",
        "hidden": "hidden",
        "solver": "solver",
        "learning_rate": "learning-rate",
        "epochs": "epochs",
        "batch_size": "batch-size",
        "decay": "decay",
        "restarts": "restarts",
        "weight_kind": "weight-kind",
        "missing": "missing",
        "max_levels": "max-levels",
        "random_state": "seed",
        "n_jobs": "threads",
    }
    _none_is_a_choice: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        *,
        gates: Literal["linear", "network"] = "linear",
        stable: Columns = (),
        unstable: Columns = (),
        threshold: float = 0.5,
        n_features_to_select: int | None = None,
        sigma: float | None = None,
        penalty_factor: float = 0.75,
        penalty: float | None = None,
        refit: Literal["auto", "linear", "robust", "ridge", "network", "trees", "kept"] = "auto",
        remember: int = 4000,
        hidden: int | Sequence[int] = (10,),
        solver: Literal["auto", "adam", "lbfgs"] = "auto",
        learning_rate: float = 0.01,
        epochs: int = 100,
        batch_size: int = 128,
        decay: float = 0.0001,
        restarts: int = 3,
        weight_kind: Literal["survey", "frequency"] = "survey",
        missing: Literal["refuse", "drop", "mean"] = "refuse",
        max_levels: int = 100,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.gates = gates
        self.stable = stable
        self.unstable = unstable
        self.threshold = threshold
        self.n_features_to_select = n_features_to_select
        self.sigma = sigma
        self.penalty_factor = penalty_factor
        self.penalty = penalty
        self.refit = refit
        self.remember = remember
        self.hidden = hidden
        self.solver = solver
        self.learning_rate = learning_rate
        self.epochs = epochs
        self.batch_size = batch_size
        self.decay = decay
        self.restarts = restarts
        self.weight_kind = weight_kind
        self.missing = missing
        self.max_levels = max_levels
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class STGClassifier(Classification, StableModel):
    """Gates without weights, then a model on the variables whose gates are open; for two classes.

    Parameters
    ----------
    gates : {"linear", "network"}, default="linear"
        What the gates stand before. "linear": a linear model. "network": a network.
    stable : str, int or sequence of these, default=()
        Columns, by their names or positions, known to be stable: always in the set, and judged all the same.
    unstable : str, int or sequence of these, default=()
        Columns, by their names or positions, known to be unstable: never in the set, and judged all the same.
    threshold : float in [0, 1], default=0.5
        Probability from which a variable is selected.
    n_features_to_select : int in [1, inf) or None, default=None
        Select this many, the most probable, instead of by a threshold. ``None``: as many as pass the threshold.
        Takes the place of ``threshold``.
    sigma : float in (0, inf) or None, default=None
        Noise of the gates. ``None``: 0.7; before a network 0.5.
    penalty_factor : float in (0, inf), default=0.75
        Multiplies the automatic cost of an open gate.
    penalty : float in [0, inf) or None, default=None
        Cost of an open gate (the paper's lambda) as a share of the outcome's variance. ``None``: chosen from the
        data. Takes the place of ``penalty_factor``.
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
    hidden : int or sequence of int in [1, 65536], default=(10,)
        Units of each hidden layer of the refitted network, as in 10 or 64,32.
    solver : {"auto", "adam", "lbfgs"}, default="auto"
        How the refitted network's weights are found. "auto": Adam for many rows, L-BFGS for few. "adam": steps on
        mini-batches. "lbfgs": quasi-Newton steps on all rows.
    learning_rate : float in (0, inf), default=0.01
        Length of a step of Adam: the refitted network's first, or the published descent's.
    epochs : int in [1, inf), default=100
        Most times all rows are seen by the refitted network.
    batch_size : int in [1, inf), default=128
        Rows of a mini-batch of the refitted network.
    decay : float in [0, inf), default=0.0001
        Ridge on the refitted network's weights.
    restarts : int in [1, inf), default=3
        Random starts of the refitted network, of which the best on held-out rows is kept.
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

    Attributes
    ----------
    selected_ : ndarray of str
        Names of the selected variables.
    probability_ : ndarray of shape (n_features_in_,)
        Probability of being stable; that of an open gate where there is no evidence. Also as ``open_probability_``.
    evidence_ : DataFrame or None
        For each variable the probability, the effect given all others with its standard error and interval of 95 %,
        t, p-value, effect size, how far repeats differ (spread), whether it is doubtful, and what could take its
        place (alternatives). As a dict: ``summary_["evidence"]``.
    sufficiency_ : dict or None
        Whether the selected variables predict as well as all, in the training data: ``loss_selected``,
        ``loss_all``, ``difference``, ``standard_error``, ``sufficient``.
    told_ : dict of str to str
        Columns that were told to be "stable" or "unstable".
    environments_ : dict or None
        With ``env``: the slopes of the selected variables in every environment (``effects``), and a test whether
        they differ.
    coef_ : ndarray
        Coefficients in the units of the data, 0 for variables left out: one per feature, for a text column one per
        encoded level. ``coef_names_`` names them. Not for networks and trees.
    coef_names_ : list of str
        The encoded columns that ``coef_`` is for.
    coefficients_ : DataFrame
        Coefficients of the selected variables by encoded column, with standard errors and intervals of 95 %; of
        networks and trees mean slopes. As a dict: ``summary_["coefficients"]``.
    influence_ : dict or None
        What matters to boosted trees: by encoded column how much predictions change (root mean square) if its
        values are dealt out anew among the rows. For other models None.
    intercept_ : float or ndarray
        The constant. Not for networks and trees.
    weights_ : ndarray of shape (n_samples,)
        The rows' weights, mean 1.
    n_eff_ : float
        Effective sample size of the weights.
    history_ : list of dict
        Every loop.
    n_iter_ : int
        Loops taken.
    converged_ : bool
        Whether every part converged.
    findings_ : list of dict
        What to watch out for: code, variables, figures and words.
    summary_ : dict
        All of it, with the keys of the command line's ``--format json``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X had any.
    classes_ : ndarray of shape (2,)
        The two classes.
    """

    _core_name = "stg"
    _parameters: ClassVar[dict[str, str]] = {
        "gates": "gates",
        "stable": "stable",
        "unstable": "unstable",
        "threshold": "threshold",
        "n_features_to_select": "select",
        "sigma": "sigma",
        "penalty_factor": "penalty-factor",
        "penalty": "penalty",
        "refit": "refit",
        "remember": "remember",
        "hidden": "hidden",
        "solver": "solver",
        "learning_rate": "learning-rate",
        "epochs": "epochs",
        "batch_size": "batch-size",
        "decay": "decay",
        "restarts": "restarts",
        "weight_kind": "weight-kind",
        "missing": "missing",
        "max_levels": "max-levels",
        "random_state": "seed",
        "n_jobs": "threads",
    }
    _none_is_a_choice: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        *,
        gates: Literal["linear", "network"] = "linear",
        stable: Columns = (),
        unstable: Columns = (),
        threshold: float = 0.5,
        n_features_to_select: int | None = None,
        sigma: float | None = None,
        penalty_factor: float = 0.75,
        penalty: float | None = None,
        refit: Literal["auto", "linear", "robust", "ridge", "network", "trees", "kept"] = "auto",
        remember: int = 4000,
        hidden: int | Sequence[int] = (10,),
        solver: Literal["auto", "adam", "lbfgs"] = "auto",
        learning_rate: float = 0.01,
        epochs: int = 100,
        batch_size: int = 128,
        decay: float = 0.0001,
        restarts: int = 3,
        weight_kind: Literal["survey", "frequency"] = "survey",
        missing: Literal["refuse", "drop", "mean"] = "refuse",
        max_levels: int = 100,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.gates = gates
        self.stable = stable
        self.unstable = unstable
        self.threshold = threshold
        self.n_features_to_select = n_features_to_select
        self.sigma = sigma
        self.penalty_factor = penalty_factor
        self.penalty = penalty
        self.refit = refit
        self.remember = remember
        self.hidden = hidden
        self.solver = solver
        self.learning_rate = learning_rate
        self.epochs = epochs
        self.batch_size = batch_size
        self.decay = decay
        self.restarts = restarts
        self.weight_kind = weight_kind
        self.missing = missing
        self.max_levels = max_levels
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class DWRRegressor(Regression, StableModel):
    """Least squares (for classes: logistic regression) on all variables under decorrelating weights, as published; for
    numbers.

    Parameters
    ----------
    reweighter : {"balance", "dwr", "srdo"}, default="dwr"
        How weights are found. "balance": the weights closest to uniform, by a small convex problem. "dwr": as
        published: one free weight per row, by gradient descent. "srdo": a ratio of densities: also removes
        dependence that correlations do not see.
    max_iter : int in [0, inf), default=20_000
        Most steps of the published descent.
    dwr_tolerance : float in (0, inf), default=1e-12
        The loss at which the published descent stops early.
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
    learning_rate : float in (0, inf), default=0.01
        Length of a step of Adam: the refitted network's first, or the published descent's.
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

    Attributes
    ----------
    selected_ : ndarray of str
        Names of the selected variables.
    probability_ : ndarray of shape (n_features_in_,)
        Probability of being stable; that of an open gate where there is no evidence. Also as ``open_probability_``.
    evidence_ : DataFrame or None
        For each variable the probability, the effect given all others with its standard error and interval of 95 %,
        t, p-value, effect size, how far repeats differ (spread), whether it is doubtful, and what could take its
        place (alternatives). As a dict: ``summary_["evidence"]``.
    sufficiency_ : dict or None
        Whether the selected variables predict as well as all, in the training data: ``loss_selected``,
        ``loss_all``, ``difference``, ``standard_error``, ``sufficient``.
    told_ : dict of str to str
        Columns that were told to be "stable" or "unstable".
    environments_ : dict or None
        With ``env``: the slopes of the selected variables in every environment (``effects``), and a test whether
        they differ.
    coef_ : ndarray
        Coefficients in the units of the data, 0 for variables left out: one per feature, for a text column one per
        encoded level. ``coef_names_`` names them. Not for networks and trees.
    coef_names_ : list of str
        The encoded columns that ``coef_`` is for.
    coefficients_ : DataFrame
        Coefficients of the selected variables by encoded column, with standard errors and intervals of 95 %; of
        networks and trees mean slopes. As a dict: ``summary_["coefficients"]``.
    influence_ : dict or None
        What matters to boosted trees: by encoded column how much predictions change (root mean square) if its
        values are dealt out anew among the rows. For other models None.
    intercept_ : float or ndarray
        The constant. Not for networks and trees.
    weights_ : ndarray of shape (n_samples,)
        The rows' weights, mean 1.
    n_eff_ : float
        Effective sample size of the weights.
    history_ : list of dict
        Every loop.
    n_iter_ : int
        Loops taken.
    converged_ : bool
        Whether every part converged.
    findings_ : list of dict
        What to watch out for: code, variables, figures and words.
    summary_ : dict
        All of it, with the keys of the command line's ``--format json``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X had any.
    """

    _core_name = "dwr"
    _parameters: ClassVar[dict[str, str]] = {
        "reweighter": "reweighter",
        "max_iter": "steps",
        "dwr_tolerance": "dwr-tolerance",
        "refit": "refit",
        "remember": "remember",
        "learning_rate": "learning-rate",
        "weight_kind": "weight-kind",
        "missing": "missing",
        "max_levels": "max-levels",
        "random_state": "seed",
        "n_jobs": "threads",
    }
    _none_is_a_choice: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        *,
        reweighter: Literal["balance", "dwr", "srdo"] = "dwr",
        max_iter: int = 20_000,
        dwr_tolerance: float = 1e-12,
        refit: Literal["auto", "linear", "robust", "ridge", "network", "trees", "kept"] = "auto",
        remember: int = 4000,
        learning_rate: float = 0.01,
        weight_kind: Literal["survey", "frequency"] = "survey",
        missing: Literal["refuse", "drop", "mean"] = "refuse",
        max_levels: int = 100,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.reweighter = reweighter
        self.max_iter = max_iter
        self.dwr_tolerance = dwr_tolerance
        self.refit = refit
        self.remember = remember
        self.learning_rate = learning_rate
        self.weight_kind = weight_kind
        self.missing = missing
        self.max_levels = max_levels
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class DWRClassifier(Classification, StableModel):
    """Least squares (for classes: logistic regression) on all variables under decorrelating weights, as published; for
    two classes.

    Parameters
    ----------
    reweighter : {"balance", "dwr", "srdo"}, default="dwr"
        How weights are found. "balance": the weights closest to uniform, by a small convex problem. "dwr": as
        published: one free weight per row, by gradient descent. "srdo": a ratio of densities: also removes
        dependence that correlations do not see.
    max_iter : int in [0, inf), default=20_000
        Most steps of the published descent.
    dwr_tolerance : float in (0, inf), default=1e-12
        The loss at which the published descent stops early.
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
    learning_rate : float in (0, inf), default=0.01
        Length of a step of Adam: the refitted network's first, or the published descent's.
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

    Attributes
    ----------
    selected_ : ndarray of str
        Names of the selected variables.
    probability_ : ndarray of shape (n_features_in_,)
        Probability of being stable; that of an open gate where there is no evidence. Also as ``open_probability_``.
    evidence_ : DataFrame or None
        For each variable the probability, the effect given all others with its standard error and interval of 95 %,
        t, p-value, effect size, how far repeats differ (spread), whether it is doubtful, and what could take its
        place (alternatives). As a dict: ``summary_["evidence"]``.
    sufficiency_ : dict or None
        Whether the selected variables predict as well as all, in the training data: ``loss_selected``,
        ``loss_all``, ``difference``, ``standard_error``, ``sufficient``.
    told_ : dict of str to str
        Columns that were told to be "stable" or "unstable".
    environments_ : dict or None
        With ``env``: the slopes of the selected variables in every environment (``effects``), and a test whether
        they differ.
    coef_ : ndarray
        Coefficients in the units of the data, 0 for variables left out: one per feature, for a text column one per
        encoded level. ``coef_names_`` names them. Not for networks and trees.
    coef_names_ : list of str
        The encoded columns that ``coef_`` is for.
    coefficients_ : DataFrame
        Coefficients of the selected variables by encoded column, with standard errors and intervals of 95 %; of
        networks and trees mean slopes. As a dict: ``summary_["coefficients"]``.
    influence_ : dict or None
        What matters to boosted trees: by encoded column how much predictions change (root mean square) if its
        values are dealt out anew among the rows. For other models None.
    intercept_ : float or ndarray
        The constant. Not for networks and trees.
    weights_ : ndarray of shape (n_samples,)
        The rows' weights, mean 1.
    n_eff_ : float
        Effective sample size of the weights.
    history_ : list of dict
        Every loop.
    n_iter_ : int
        Loops taken.
    converged_ : bool
        Whether every part converged.
    findings_ : list of dict
        What to watch out for: code, variables, figures and words.
    summary_ : dict
        All of it, with the keys of the command line's ``--format json``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X had any.
    classes_ : ndarray of shape (2,)
        The two classes.
    """

    _core_name = "dwr"
    _parameters: ClassVar[dict[str, str]] = {
        "reweighter": "reweighter",
        "max_iter": "steps",
        "dwr_tolerance": "dwr-tolerance",
        "refit": "refit",
        "remember": "remember",
        "learning_rate": "learning-rate",
        "weight_kind": "weight-kind",
        "missing": "missing",
        "max_levels": "max-levels",
        "random_state": "seed",
        "n_jobs": "threads",
    }
    _none_is_a_choice: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        *,
        reweighter: Literal["balance", "dwr", "srdo"] = "dwr",
        max_iter: int = 20_000,
        dwr_tolerance: float = 1e-12,
        refit: Literal["auto", "linear", "robust", "ridge", "network", "trees", "kept"] = "auto",
        remember: int = 4000,
        learning_rate: float = 0.01,
        weight_kind: Literal["survey", "frequency"] = "survey",
        missing: Literal["refuse", "drop", "mean"] = "refuse",
        max_levels: int = 100,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.reweighter = reweighter
        self.max_iter = max_iter
        self.dwr_tolerance = dwr_tolerance
        self.refit = refit
        self.remember = remember
        self.learning_rate = learning_rate
        self.weight_kind = weight_kind
        self.missing = missing
        self.max_levels = max_levels
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class SRDORegressor(Regression, StableModel):
    """A network on all variables under weights that make them independent; for numbers.

    Parameters
    ----------
    reweighter : {"balance", "dwr", "srdo"}, default="srdo"
        How weights are found. "balance": the weights closest to uniform, by a small convex problem. "dwr": as
        published: one free weight per row, by gradient descent. "srdo": a ratio of densities: also removes
        dependence that correlations do not see.
    classifier : {"network", "quadratic"}, default="network"
        What tells shuffled from original rows. "network": a network. "quadratic": logistic regression on the
        columns, their squares and products.
    weight_limit : float in (0, inf), default=20.0
        A larger ratio of densities is cut off there.
    folds : int in [2, inf), default=3
        Parts of the rows for cross-fitting the ratio of densities, or for the Lasso's cross-validation.
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
    hidden : int or sequence of int in [1, 65536], default=(10,)
        Units of each hidden layer of the refitted network, as in 10 or 64,32.
    solver : {"auto", "adam", "lbfgs"}, default="auto"
        How the refitted network's weights are found. "auto": Adam for many rows, L-BFGS for few. "adam": steps on
        mini-batches. "lbfgs": quasi-Newton steps on all rows.
    learning_rate : float in (0, inf), default=0.01
        Length of a step of Adam: the refitted network's first, or the published descent's.
    epochs : int in [1, inf), default=100
        Most times all rows are seen by the refitted network.
    batch_size : int in [1, inf), default=128
        Rows of a mini-batch of the refitted network.
    decay : float in [0, inf), default=0.0001
        Ridge on the refitted network's weights.
    restarts : int in [1, inf), default=3
        Random starts of the refitted network, of which the best on held-out rows is kept.
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

    Attributes
    ----------
    selected_ : ndarray of str
        Names of the selected variables.
    probability_ : ndarray of shape (n_features_in_,)
        Probability of being stable; that of an open gate where there is no evidence. Also as ``open_probability_``.
    evidence_ : DataFrame or None
        For each variable the probability, the effect given all others with its standard error and interval of 95 %,
        t, p-value, effect size, how far repeats differ (spread), whether it is doubtful, and what could take its
        place (alternatives). As a dict: ``summary_["evidence"]``.
    sufficiency_ : dict or None
        Whether the selected variables predict as well as all, in the training data: ``loss_selected``,
        ``loss_all``, ``difference``, ``standard_error``, ``sufficient``.
    told_ : dict of str to str
        Columns that were told to be "stable" or "unstable".
    environments_ : dict or None
        With ``env``: the slopes of the selected variables in every environment (``effects``), and a test whether
        they differ.
    coef_ : ndarray
        Coefficients in the units of the data, 0 for variables left out: one per feature, for a text column one per
        encoded level. ``coef_names_`` names them. Not for networks and trees.
    coef_names_ : list of str
        The encoded columns that ``coef_`` is for.
    coefficients_ : DataFrame
        Coefficients of the selected variables by encoded column, with standard errors and intervals of 95 %; of
        networks and trees mean slopes. As a dict: ``summary_["coefficients"]``.
    influence_ : dict or None
        What matters to boosted trees: by encoded column how much predictions change (root mean square) if its
        values are dealt out anew among the rows. For other models None.
    intercept_ : float or ndarray
        The constant. Not for networks and trees.
    weights_ : ndarray of shape (n_samples,)
        The rows' weights, mean 1.
    n_eff_ : float
        Effective sample size of the weights.
    history_ : list of dict
        Every loop.
    n_iter_ : int
        Loops taken.
    converged_ : bool
        Whether every part converged.
    findings_ : list of dict
        What to watch out for: code, variables, figures and words.
    summary_ : dict
        All of it, with the keys of the command line's ``--format json``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X had any.
    """

    _core_name = "srdo"
    _parameters: ClassVar[dict[str, str]] = {
        "reweighter": "reweighter",
        "classifier": "classifier",
        "weight_limit": "weight-limit",
        "folds": "folds",
        "refit": "refit",
        "remember": "remember",
        "hidden": "hidden",
        "solver": "solver",
        "learning_rate": "learning-rate",
        "epochs": "epochs",
        "batch_size": "batch-size",
        "decay": "decay",
        "restarts": "restarts",
        "weight_kind": "weight-kind",
        "missing": "missing",
        "max_levels": "max-levels",
        "random_state": "seed",
        "n_jobs": "threads",
    }
    _none_is_a_choice: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        *,
        reweighter: Literal["balance", "dwr", "srdo"] = "srdo",
        classifier: Literal["network", "quadratic"] = "network",
        weight_limit: float = 20.0,
        folds: int = 3,
        refit: Literal["auto", "linear", "robust", "ridge", "network", "trees", "kept"] = "auto",
        remember: int = 4000,
        hidden: int | Sequence[int] = (10,),
        solver: Literal["auto", "adam", "lbfgs"] = "auto",
        learning_rate: float = 0.01,
        epochs: int = 100,
        batch_size: int = 128,
        decay: float = 0.0001,
        restarts: int = 3,
        weight_kind: Literal["survey", "frequency"] = "survey",
        missing: Literal["refuse", "drop", "mean"] = "refuse",
        max_levels: int = 100,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.reweighter = reweighter
        self.classifier = classifier
        self.weight_limit = weight_limit
        self.folds = folds
        self.refit = refit
        self.remember = remember
        self.hidden = hidden
        self.solver = solver
        self.learning_rate = learning_rate
        self.epochs = epochs
        self.batch_size = batch_size
        self.decay = decay
        self.restarts = restarts
        self.weight_kind = weight_kind
        self.missing = missing
        self.max_levels = max_levels
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class SRDOClassifier(Classification, StableModel):
    """A network on all variables under weights that make them independent; for two classes.

    Parameters
    ----------
    reweighter : {"balance", "dwr", "srdo"}, default="srdo"
        How weights are found. "balance": the weights closest to uniform, by a small convex problem. "dwr": as
        published: one free weight per row, by gradient descent. "srdo": a ratio of densities: also removes
        dependence that correlations do not see.
    classifier : {"network", "quadratic"}, default="network"
        What tells shuffled from original rows. "network": a network. "quadratic": logistic regression on the
        columns, their squares and products.
    weight_limit : float in (0, inf), default=20.0
        A larger ratio of densities is cut off there.
    folds : int in [2, inf), default=3
        Parts of the rows for cross-fitting the ratio of densities, or for the Lasso's cross-validation.
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
    hidden : int or sequence of int in [1, 65536], default=(10,)
        Units of each hidden layer of the refitted network, as in 10 or 64,32.
    solver : {"auto", "adam", "lbfgs"}, default="auto"
        How the refitted network's weights are found. "auto": Adam for many rows, L-BFGS for few. "adam": steps on
        mini-batches. "lbfgs": quasi-Newton steps on all rows.
    learning_rate : float in (0, inf), default=0.01
        Length of a step of Adam: the refitted network's first, or the published descent's.
    epochs : int in [1, inf), default=100
        Most times all rows are seen by the refitted network.
    batch_size : int in [1, inf), default=128
        Rows of a mini-batch of the refitted network.
    decay : float in [0, inf), default=0.0001
        Ridge on the refitted network's weights.
    restarts : int in [1, inf), default=3
        Random starts of the refitted network, of which the best on held-out rows is kept.
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

    Attributes
    ----------
    selected_ : ndarray of str
        Names of the selected variables.
    probability_ : ndarray of shape (n_features_in_,)
        Probability of being stable; that of an open gate where there is no evidence. Also as ``open_probability_``.
    evidence_ : DataFrame or None
        For each variable the probability, the effect given all others with its standard error and interval of 95 %,
        t, p-value, effect size, how far repeats differ (spread), whether it is doubtful, and what could take its
        place (alternatives). As a dict: ``summary_["evidence"]``.
    sufficiency_ : dict or None
        Whether the selected variables predict as well as all, in the training data: ``loss_selected``,
        ``loss_all``, ``difference``, ``standard_error``, ``sufficient``.
    told_ : dict of str to str
        Columns that were told to be "stable" or "unstable".
    environments_ : dict or None
        With ``env``: the slopes of the selected variables in every environment (``effects``), and a test whether
        they differ.
    coef_ : ndarray
        Coefficients in the units of the data, 0 for variables left out: one per feature, for a text column one per
        encoded level. ``coef_names_`` names them. Not for networks and trees.
    coef_names_ : list of str
        The encoded columns that ``coef_`` is for.
    coefficients_ : DataFrame
        Coefficients of the selected variables by encoded column, with standard errors and intervals of 95 %; of
        networks and trees mean slopes. As a dict: ``summary_["coefficients"]``.
    influence_ : dict or None
        What matters to boosted trees: by encoded column how much predictions change (root mean square) if its
        values are dealt out anew among the rows. For other models None.
    intercept_ : float or ndarray
        The constant. Not for networks and trees.
    weights_ : ndarray of shape (n_samples,)
        The rows' weights, mean 1.
    n_eff_ : float
        Effective sample size of the weights.
    history_ : list of dict
        Every loop.
    n_iter_ : int
        Loops taken.
    converged_ : bool
        Whether every part converged.
    findings_ : list of dict
        What to watch out for: code, variables, figures and words.
    summary_ : dict
        All of it, with the keys of the command line's ``--format json``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X had any.
    classes_ : ndarray of shape (2,)
        The two classes.
    """

    _core_name = "srdo"
    _parameters: ClassVar[dict[str, str]] = {
        "reweighter": "reweighter",
        "classifier": "classifier",
        "weight_limit": "weight-limit",
        "folds": "folds",
        "refit": "refit",
        "remember": "remember",
        "hidden": "hidden",
        "solver": "solver",
        "learning_rate": "learning-rate",
        "epochs": "epochs",
        "batch_size": "batch-size",
        "decay": "decay",
        "restarts": "restarts",
        "weight_kind": "weight-kind",
        "missing": "missing",
        "max_levels": "max-levels",
        "random_state": "seed",
        "n_jobs": "threads",
    }
    _none_is_a_choice: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        *,
        reweighter: Literal["balance", "dwr", "srdo"] = "srdo",
        classifier: Literal["network", "quadratic"] = "network",
        weight_limit: float = 20.0,
        folds: int = 3,
        refit: Literal["auto", "linear", "robust", "ridge", "network", "trees", "kept"] = "auto",
        remember: int = 4000,
        hidden: int | Sequence[int] = (10,),
        solver: Literal["auto", "adam", "lbfgs"] = "auto",
        learning_rate: float = 0.01,
        epochs: int = 100,
        batch_size: int = 128,
        decay: float = 0.0001,
        restarts: int = 3,
        weight_kind: Literal["survey", "frequency"] = "survey",
        missing: Literal["refuse", "drop", "mean"] = "refuse",
        max_levels: int = 100,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.reweighter = reweighter
        self.classifier = classifier
        self.weight_limit = weight_limit
        self.folds = folds
        self.refit = refit
        self.remember = remember
        self.hidden = hidden
        self.solver = solver
        self.learning_rate = learning_rate
        self.epochs = epochs
        self.batch_size = batch_size
        self.decay = decay
        self.restarts = restarts
        self.weight_kind = weight_kind
        self.missing = missing
        self.max_levels = max_levels
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class MLPRegressor(Regression, StableModel):
    """A network on all variables; for numbers.

    Parameters
    ----------
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
    hidden : int or sequence of int in [1, 65536], default=(10,)
        Units of each hidden layer of the refitted network, as in 10 or 64,32.
    solver : {"auto", "adam", "lbfgs"}, default="auto"
        How the refitted network's weights are found. "auto": Adam for many rows, L-BFGS for few. "adam": steps on
        mini-batches. "lbfgs": quasi-Newton steps on all rows.
    learning_rate : float in (0, inf), default=0.01
        Length of a step of Adam: the refitted network's first, or the published descent's.
    epochs : int in [1, inf), default=100
        Most times all rows are seen by the refitted network.
    batch_size : int in [1, inf), default=128
        Rows of a mini-batch of the refitted network.
    decay : float in [0, inf), default=0.0001
        Ridge on the refitted network's weights.
    restarts : int in [1, inf), default=3
        Random starts of the refitted network, of which the best on held-out rows is kept.
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

    Attributes
    ----------
    selected_ : ndarray of str
        Names of the selected variables.
    probability_ : ndarray of shape (n_features_in_,)
        Probability of being stable; that of an open gate where there is no evidence. Also as ``open_probability_``.
    evidence_ : DataFrame or None
        For each variable the probability, the effect given all others with its standard error and interval of 95 %,
        t, p-value, effect size, how far repeats differ (spread), whether it is doubtful, and what could take its
        place (alternatives). As a dict: ``summary_["evidence"]``.
    sufficiency_ : dict or None
        Whether the selected variables predict as well as all, in the training data: ``loss_selected``,
        ``loss_all``, ``difference``, ``standard_error``, ``sufficient``.
    told_ : dict of str to str
        Columns that were told to be "stable" or "unstable".
    environments_ : dict or None
        With ``env``: the slopes of the selected variables in every environment (``effects``), and a test whether
        they differ.
    coef_ : ndarray
        Coefficients in the units of the data, 0 for variables left out: one per feature, for a text column one per
        encoded level. ``coef_names_`` names them. Not for networks and trees.
    coef_names_ : list of str
        The encoded columns that ``coef_`` is for.
    coefficients_ : DataFrame
        Coefficients of the selected variables by encoded column, with standard errors and intervals of 95 %; of
        networks and trees mean slopes. As a dict: ``summary_["coefficients"]``.
    influence_ : dict or None
        What matters to boosted trees: by encoded column how much predictions change (root mean square) if its
        values are dealt out anew among the rows. For other models None.
    intercept_ : float or ndarray
        The constant. Not for networks and trees.
    weights_ : ndarray of shape (n_samples,)
        The rows' weights, mean 1.
    n_eff_ : float
        Effective sample size of the weights.
    history_ : list of dict
        Every loop.
    n_iter_ : int
        Loops taken.
    converged_ : bool
        Whether every part converged.
    findings_ : list of dict
        What to watch out for: code, variables, figures and words.
    summary_ : dict
        All of it, with the keys of the command line's ``--format json``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X had any.
    """

    _core_name = "mlp"
    _parameters: ClassVar[dict[str, str]] = {
        "refit": "refit",
        "remember": "remember",
        "hidden": "hidden",
        "solver": "solver",
        "learning_rate": "learning-rate",
        "epochs": "epochs",
        "batch_size": "batch-size",
        "decay": "decay",
        "restarts": "restarts",
        "weight_kind": "weight-kind",
        "missing": "missing",
        "max_levels": "max-levels",
        "random_state": "seed",
        "n_jobs": "threads",
    }
    _none_is_a_choice: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        *,
        refit: Literal["auto", "linear", "robust", "ridge", "network", "trees", "kept"] = "auto",
        remember: int = 4000,
        hidden: int | Sequence[int] = (10,),
        solver: Literal["auto", "adam", "lbfgs"] = "auto",
        learning_rate: float = 0.01,
        epochs: int = 100,
        batch_size: int = 128,
        decay: float = 0.0001,
        restarts: int = 3,
        weight_kind: Literal["survey", "frequency"] = "survey",
        missing: Literal["refuse", "drop", "mean"] = "refuse",
        max_levels: int = 100,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.refit = refit
        self.remember = remember
        self.hidden = hidden
        self.solver = solver
        self.learning_rate = learning_rate
        self.epochs = epochs
        self.batch_size = batch_size
        self.decay = decay
        self.restarts = restarts
        self.weight_kind = weight_kind
        self.missing = missing
        self.max_levels = max_levels
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class MLPClassifier(Classification, StableModel):
    """A network on all variables; for two classes.

    Parameters
    ----------
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
    hidden : int or sequence of int in [1, 65536], default=(10,)
        Units of each hidden layer of the refitted network, as in 10 or 64,32.
    solver : {"auto", "adam", "lbfgs"}, default="auto"
        How the refitted network's weights are found. "auto": Adam for many rows, L-BFGS for few. "adam": steps on
        mini-batches. "lbfgs": quasi-Newton steps on all rows.
    learning_rate : float in (0, inf), default=0.01
        Length of a step of Adam: the refitted network's first, or the published descent's.
    epochs : int in [1, inf), default=100
        Most times all rows are seen by the refitted network.
    batch_size : int in [1, inf), default=128
        Rows of a mini-batch of the refitted network.
    decay : float in [0, inf), default=0.0001
        Ridge on the refitted network's weights.
    restarts : int in [1, inf), default=3
        Random starts of the refitted network, of which the best on held-out rows is kept.
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

    Attributes
    ----------
    selected_ : ndarray of str
        Names of the selected variables.
    probability_ : ndarray of shape (n_features_in_,)
        Probability of being stable; that of an open gate where there is no evidence. Also as ``open_probability_``.
    evidence_ : DataFrame or None
        For each variable the probability, the effect given all others with its standard error and interval of 95 %,
        t, p-value, effect size, how far repeats differ (spread), whether it is doubtful, and what could take its
        place (alternatives). As a dict: ``summary_["evidence"]``.
    sufficiency_ : dict or None
        Whether the selected variables predict as well as all, in the training data: ``loss_selected``,
        ``loss_all``, ``difference``, ``standard_error``, ``sufficient``.
    told_ : dict of str to str
        Columns that were told to be "stable" or "unstable".
    environments_ : dict or None
        With ``env``: the slopes of the selected variables in every environment (``effects``), and a test whether
        they differ.
    coef_ : ndarray
        Coefficients in the units of the data, 0 for variables left out: one per feature, for a text column one per
        encoded level. ``coef_names_`` names them. Not for networks and trees.
    coef_names_ : list of str
        The encoded columns that ``coef_`` is for.
    coefficients_ : DataFrame
        Coefficients of the selected variables by encoded column, with standard errors and intervals of 95 %; of
        networks and trees mean slopes. As a dict: ``summary_["coefficients"]``.
    influence_ : dict or None
        What matters to boosted trees: by encoded column how much predictions change (root mean square) if its
        values are dealt out anew among the rows. For other models None.
    intercept_ : float or ndarray
        The constant. Not for networks and trees.
    weights_ : ndarray of shape (n_samples,)
        The rows' weights, mean 1.
    n_eff_ : float
        Effective sample size of the weights.
    history_ : list of dict
        Every loop.
    n_iter_ : int
        Loops taken.
    converged_ : bool
        Whether every part converged.
    findings_ : list of dict
        What to watch out for: code, variables, figures and words.
    summary_ : dict
        All of it, with the keys of the command line's ``--format json``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X had any.
    classes_ : ndarray of shape (2,)
        The two classes.
    """

    _core_name = "mlp"
    _parameters: ClassVar[dict[str, str]] = {
        "refit": "refit",
        "remember": "remember",
        "hidden": "hidden",
        "solver": "solver",
        "learning_rate": "learning-rate",
        "epochs": "epochs",
        "batch_size": "batch-size",
        "decay": "decay",
        "restarts": "restarts",
        "weight_kind": "weight-kind",
        "missing": "missing",
        "max_levels": "max-levels",
        "random_state": "seed",
        "n_jobs": "threads",
    }
    _none_is_a_choice: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        *,
        refit: Literal["auto", "linear", "robust", "ridge", "network", "trees", "kept"] = "auto",
        remember: int = 4000,
        hidden: int | Sequence[int] = (10,),
        solver: Literal["auto", "adam", "lbfgs"] = "auto",
        learning_rate: float = 0.01,
        epochs: int = 100,
        batch_size: int = 128,
        decay: float = 0.0001,
        restarts: int = 3,
        weight_kind: Literal["survey", "frequency"] = "survey",
        missing: Literal["refuse", "drop", "mean"] = "refuse",
        max_levels: int = 100,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.refit = refit
        self.remember = remember
        self.hidden = hidden
        self.solver = solver
        self.learning_rate = learning_rate
        self.epochs = epochs
        self.batch_size = batch_size
        self.decay = decay
        self.restarts = restarts
        self.weight_kind = weight_kind
        self.missing = missing
        self.max_levels = max_levels
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class LogisticClassifier(Classification, StableModel):
    """Logistic regression on all variables; for two classes.

    Parameters
    ----------
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

    Attributes
    ----------
    selected_ : ndarray of str
        Names of the selected variables.
    probability_ : ndarray of shape (n_features_in_,)
        Probability of being stable; that of an open gate where there is no evidence. Also as ``open_probability_``.
    evidence_ : DataFrame or None
        For each variable the probability, the effect given all others with its standard error and interval of 95 %,
        t, p-value, effect size, how far repeats differ (spread), whether it is doubtful, and what could take its
        place (alternatives). As a dict: ``summary_["evidence"]``.
    sufficiency_ : dict or None
        Whether the selected variables predict as well as all, in the training data: ``loss_selected``,
        ``loss_all``, ``difference``, ``standard_error``, ``sufficient``.
    told_ : dict of str to str
        Columns that were told to be "stable" or "unstable".
    environments_ : dict or None
        With ``env``: the slopes of the selected variables in every environment (``effects``), and a test whether
        they differ.
    coef_ : ndarray
        Coefficients in the units of the data, 0 for variables left out: one per feature, for a text column one per
        encoded level. ``coef_names_`` names them. Not for networks and trees.
    coef_names_ : list of str
        The encoded columns that ``coef_`` is for.
    coefficients_ : DataFrame
        Coefficients of the selected variables by encoded column, with standard errors and intervals of 95 %; of
        networks and trees mean slopes. As a dict: ``summary_["coefficients"]``.
    influence_ : dict or None
        What matters to boosted trees: by encoded column how much predictions change (root mean square) if its
        values are dealt out anew among the rows. For other models None.
    intercept_ : float or ndarray
        The constant. Not for networks and trees.
    weights_ : ndarray of shape (n_samples,)
        The rows' weights, mean 1.
    n_eff_ : float
        Effective sample size of the weights.
    history_ : list of dict
        Every loop.
    n_iter_ : int
        Loops taken.
    converged_ : bool
        Whether every part converged.
    findings_ : list of dict
        What to watch out for: code, variables, figures and words.
    summary_ : dict
        All of it, with the keys of the command line's ``--format json``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X had any.
    classes_ : ndarray of shape (2,)
        The two classes.
    """

    _core_name = "logistic"
    _parameters: ClassVar[dict[str, str]] = {
        "refit": "refit",
        "remember": "remember",
        "weight_kind": "weight-kind",
        "missing": "missing",
        "max_levels": "max-levels",
        "random_state": "seed",
        "n_jobs": "threads",
    }
    _none_is_a_choice: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        *,
        refit: Literal["auto", "linear", "robust", "ridge", "network", "trees", "kept"] = "auto",
        remember: int = 4000,
        weight_kind: Literal["survey", "frequency"] = "survey",
        missing: Literal["refuse", "drop", "mean"] = "refuse",
        max_levels: int = 100,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.refit = refit
        self.remember = remember
        self.weight_kind = weight_kind
        self.missing = missing
        self.max_levels = max_levels
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
