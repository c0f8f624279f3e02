"""Regressors and classifiers."""

from __future__ import annotations

import json
from numbers import Integral, Real

from sklearn.utils._param_validation import Interval, StrOptions

from . import _core
from ._base import StableModel
from ._tasks import Classification, Regression

_POSITIVE = Interval(Real, 0, None, closed="neither")
_SHARE = Interval(Real, 0, 1, closed="both")
_COUNT = Interval(Integral, 1, None, closed="left")


class _SVI(StableModel):
    """Algorithm 1 with its parameters."""

    _method_name = "svi"
    _parameter_constraints: dict = {
        "evidence": [StrOptions({"auto", "residual", "focused", "network"}), None],
        "evidence_rows": [_COUNT],
        "threshold": [_SHARE],
        "fdr": [_SHARE, None],
        "n_features_to_select": [_COUNT, None],
        "resamples": [Interval(Integral, 2, None, closed="left"), None],
        "least_frequency": [_SHARE],
        "loops": [_COUNT],
        "moving_average": [_COUNT],
        "sigma": [_POSITIVE],
        "penalty": [Interval(Real, 0, None, closed="left"), None],
        "penalty_factor": [_POSITIVE],
        "reweighter": [StrOptions({"balance", "dwr"})],
        "ridge": [_POSITIVE, None],
        "refit": [StrOptions({"auto", "linear", "robust"})],
        "outlier_limit": [_POSITIVE],
        "max_levels": [_COUNT],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        *,
        evidence="auto",
        evidence_rows=50_000,
        threshold=0.5,
        fdr=None,
        n_features_to_select=None,
        resamples=None,
        least_frequency=0.5,
        loops=10,
        moving_average=3,
        sigma=0.7,
        penalty=None,
        penalty_factor=0.75,
        reweighter="balance",
        ridge=None,
        refit="auto",
        outlier_limit=4.0,
        max_levels=100,
        random_state=0,
        verbose=False,
    ):
        self.evidence = evidence
        self.evidence_rows = evidence_rows
        self.threshold = threshold
        self.fdr = fdr
        self.n_features_to_select = n_features_to_select
        self.resamples = resamples
        self.least_frequency = least_frequency
        self.loops = loops
        self.moving_average = moving_average
        self.sigma = sigma
        self.penalty = penalty
        self.penalty_factor = penalty_factor
        self.reweighter = reweighter
        self.ridge = ridge
        self.refit = refit
        self.outlier_limit = outlier_limit
        self.max_levels = max_levels
        self.random_state = random_state
        self.verbose = verbose

    def _settings(self):
        method = json.loads(_core.default_method("svi"))
        settings = method["settings"]
        _choose(self, settings)
        settings["loops"] = self.loops
        settings["moving_average"] = self.moving_average
        gates = settings["gates"]["linear"]
        gates["sigma"] = self.sigma
        gates["penalty"] = {"auto": self.penalty_factor} if self.penalty is None else {"fixed": self.penalty}
        if self.reweighter == "dwr":
            method["reweighter"] = json.loads(_core.default_reweighter("dwr"))
        elif self.ridge is not None:
            method["reweighter"]["balance"]["ridge"] = self.ridge
        refit = self.refit
        if refit == "auto":
            # As published without evidence, so that it can be compared with.
            refit = "linear" if self.evidence is None else "robust"
        method["refit"] = {"robust": self.outlier_limit} if refit == "robust" else "linear"
        return method


def _choose(estimator, settings):
    """How variables are judged and chosen, in the core's words."""
    if estimator.evidence is None:
        settings["evidence"] = None
    else:
        settings["evidence"]["source"] = estimator.evidence
        settings["evidence"]["rows"] = estimator.evidence_rows
        settings["evidence"]["outlier_limit"] = estimator.outlier_limit
    if estimator.fdr is not None:
        settings["rule"] = {"false-discovery-rate": estimator.fdr}
    elif estimator.n_features_to_select is not None:
        settings["rule"] = {"count": estimator.n_features_to_select}
    else:
        settings["rule"] = {"threshold": estimator.threshold}
    if estimator.resamples is not None:
        settings["resampling"] = {"resamples": estimator.resamples, "least_frequency": estimator.least_frequency}


_SVI_PARAMETERS = """
    Parameters
    ----------
    evidence : {"auto", "residual", "focused", "network"} or None, default="auto"
        How each variable is judged on its own. ``None`` is the paper's algorithm: the gates decide.
    evidence_rows : int, default=50_000
        Rows the evidence is gathered from, at most.
    threshold : float, default=0.5
        Probability of being stable from which a variable is selected.
    fdr : float or None, default=None
        Select by a false discovery rate instead. Needs evidence.
    n_features_to_select : int or None, default=None
        Select this many instead, the most probable.
    resamples : int or None, default=None
        Select what this many random halves of the rows agree on.
    least_frequency : float, default=0.5
        Share of the halves in which a variable must be selected.
    loops : int, default=10
        Loops of Algorithm 1 at most.
    moving_average : int, default=3
        Loops the soft mask is averaged over.
    sigma : float, default=0.7
        Noise of the gates.
    penalty : float or None, default=None
        Cost of an open gate as a share of the outcome's variance; ``None`` chooses one per variable.
    penalty_factor : float, default=0.75
        Multiplies the automatic cost.
    reweighter : {"balance", "dwr"}, default="balance"
        How weights are found: by the convex dual, or by the published descent.
    ridge : float or None, default=None
        How much correlation the weights may leave; ``None`` depends on rows and columns.
    refit : {"auto", "linear", "robust"}, default="auto"
        The model on the selected variables. "robust" bounds the pull of extreme outcomes; "auto" is that with
        evidence and least squares without.
    outlier_limit : float, default=4.0
        Standard deviations beyond which a residual of the outcome counts as such at the limit.
    max_levels : int, default=100
        Distinct texts a column may hold.
    random_state : int, RandomState instance or None, default=0
        The seed.
    verbose : bool, default=False
        Count steps on standard error.

    Attributes
    ----------
    selected_ : ndarray of str
        Names of the selected variables.
    open_probability_ : ndarray of shape (n_features_in_,)
        Probability of being stable.
    evidence_ : dict or None
        For each variable the effect given all others, its standard error, t, p-value, effect size and probability.
    coef_ : ndarray
        Coefficients in the units of the data, 0 for variables left out. With text columns, one per level: see
        ``coefficients_``.
    coefficients_ : dict
        Coefficients by (encoded) column.
    intercept_ : float or ndarray
        The constant.
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
    summary_ : dict
        All of it, with the keys of the command line's ``--format json``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X had any.
"""


class SVIRegressor(Regression, _SVI):
    __doc__ = (
        """Linear regression on the stable variables (SVI).

    Finds the variables whose relation to the outcome survives a shift of the data, weights the rows so that the rest
    can't mislead, and fits a linear model on the stable ones.
"""
        + _SVI_PARAMETERS
        + """
    Examples
    --------
    >>> from stablevar import SVIRegressor
    >>> from stablevar.datasets import make_biased_linear
    >>> X, y = make_biased_linear(n_samples=1000, r=2.5, random_state=0)
    >>> model = SVIRegressor().fit(X, y)
    >>> model.get_support(indices=True).tolist()
    [0, 1, 2, 3, 4]
    """
    )


class SVIClassifier(Classification, _SVI):
    __doc__ = (
        """Logistic regression on the stable variables (SVI).

    Finds the variables whose relation to the outcome survives a shift of the data, weights the rows so that the rest
    can't mislead, and fits a logistic regression on the stable ones.
"""
        + _SVI_PARAMETERS.replace("intercept_ : float or ndarray", "intercept_ : ndarray")
        + """
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
    )


class _Network(StableModel):
    """The parameters of networks."""

    _network_constraints: dict = {
        "hidden": ["array-like", _COUNT],
        "solver": [StrOptions({"auto", "adam", "lbfgs"})],
        "learning_rate": [_POSITIVE],
        "batch_size": [_COUNT],
        "epochs": [_COUNT],
        "decay": [Interval(Real, 0, None, closed="left")],
        "restarts": [_COUNT],
    }

    def _network(self, network):
        """The core's network settings with this estimator's parameters."""
        hidden = [self.hidden] if isinstance(self.hidden, Integral) else list(self.hidden)
        network.update(
            hidden=[int(units) for units in hidden],
            solver=self.solver,
            learning_rate=self.learning_rate,
            batch=self.batch_size,
            epochs=self.epochs,
            decay=self.decay,
            restarts=self.restarts,
        )


class _NonlinearSVI(_Network):
    _method_name = "nonlinear-svi"
    _parameter_constraints: dict = {
        "evidence": [StrOptions({"network", "residual", "focused"}), None],
        "evidence_rows": [_COUNT],
        "threshold": [_SHARE],
        "fdr": [_SHARE, None],
        "n_features_to_select": [_COUNT, None],
        "resamples": [Interval(Integral, 2, None, closed="left"), None],
        "least_frequency": [_SHARE],
        "loops": [_COUNT],
        **_Network._network_constraints,
        "outlier_limit": [_POSITIVE],
        "max_levels": [_COUNT],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        *,
        evidence="network",
        evidence_rows=50_000,
        threshold=0.5,
        fdr=None,
        n_features_to_select=None,
        resamples=None,
        least_frequency=0.5,
        loops=1,
        hidden=(10,),
        solver="auto",
        learning_rate=0.01,
        batch_size=128,
        epochs=100,
        decay=1e-4,
        restarts=3,
        outlier_limit=4.0,
        max_levels=100,
        random_state=0,
        verbose=False,
    ):
        self.evidence = evidence
        self.evidence_rows = evidence_rows
        self.threshold = threshold
        self.fdr = fdr
        self.n_features_to_select = n_features_to_select
        self.resamples = resamples
        self.least_frequency = least_frequency
        self.loops = loops
        self.hidden = hidden
        self.solver = solver
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.epochs = epochs
        self.decay = decay
        self.restarts = restarts
        self.outlier_limit = outlier_limit
        self.max_levels = max_levels
        self.random_state = random_state
        self.verbose = verbose

    def _settings(self):
        method = json.loads(_core.default_method("nonlinear-svi"))
        _choose(self, method["settings"])
        method["settings"]["loops"] = self.loops
        self._network(method["refit"]["network"])
        return method


_NETWORK_PARAMETERS = """hidden : int or sequence of int, default=(10,)
        Units of each hidden layer of the model on the selected variables.
    solver : {"auto", "adam", "lbfgs"}, default="auto"
        How its weights are found; "auto" is L-BFGS for up to 2000 rows.
    learning_rate : float, default=0.01
        Adam's first step length.
    batch_size : int, default=128
        Rows per step of Adam.
    epochs : int, default=100
        Times all rows are seen at most.
    decay : float, default=1e-4
        Ridge on the weights.
    restarts : int, default=3
        Random starts, of which the best on held-out rows is kept.
    """

_NONLINEAR_PARAMETERS = (
    """
    Parameters
    ----------
    evidence : {"network", "residual", "focused"} or None, default="network"
        How each variable is judged on its own. ``None`` is the paper's algorithm: the gates decide.
    evidence_rows : int, default=50_000
        Rows the evidence is gathered from, at most.
    threshold : float, default=0.5
        Probability of being stable from which a variable is selected.
    fdr : float or None, default=None
        Select by a false discovery rate instead. Needs evidence.
    n_features_to_select : int or None, default=None
        Select this many instead, the most probable.
    resamples : int or None, default=None
        Select what this many random halves of the rows agree on.
    least_frequency : float, default=0.5
        Share of the halves in which a variable must be selected.
    loops : int, default=1
        Loops of Algorithm 1 at most.
    """
    + _NETWORK_PARAMETERS
    + """outlier_limit : float, default=4.0
        Residual evidence: standard deviations beyond which a residual of the outcome counts as such at the limit.
    max_levels : int, default=100
        Distinct texts a column may hold.
    random_state : int, RandomState instance or None, default=0
        The seed.
    verbose : bool, default=False
        Count steps on standard error.

    Attributes
    ----------
    selected_ : ndarray of str
        Names of the selected variables.
    open_probability_ : ndarray of shape (n_features_in_,)
        Probability of being stable.
    evidence_ : dict or None
        What the data say about each variable.
    coefficients_ : dict
        The network's mean slope in every (encoded) column.
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
    summary_ : dict
        All of it, with the keys of the command line's ``--format json``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X had any.
"""
)


class NonlinearSVIRegressor(Regression, _NonlinearSVI):
    __doc__ = (
        """A network on the stable variables (NonlinearSVI).

    Weights by a ratio of densities, gates on the inputs of a network, evidence by leaving variables out, and a network
    on the stable ones. It wants some thousand rows.
"""
        + _NONLINEAR_PARAMETERS
        + """
    Examples
    --------
    >>> from stablevar import NonlinearSVIRegressor
    >>> from stablevar.datasets import make_biased_nonlinear
    >>> X, y = make_biased_nonlinear(n_samples=6000, r=2.0, random_state=0)
    >>> model = NonlinearSVIRegressor().fit(X, y)
    >>> model.get_support(indices=True).tolist()
    [0, 1, 2, 3, 4]
    """
    )


class NonlinearSVIClassifier(Classification, _NonlinearSVI):
    __doc__ = (
        """A network on the stable variables that tells two classes apart (NonlinearSVI).

    Weights by a ratio of densities, gates on the inputs of a network, evidence by leaving variables out, and a network
    on the stable ones. It wants some thousand rows.
"""
        + _NONLINEAR_PARAMETERS
        + """    classes_ : ndarray of shape (2,)
        The two classes.
    """
    )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # Its evidence wants some thousand rows; on a few hundred it may select nothing.
        tags.classifier_tags.poor_score = True
        return tags


class _STG(_Network):
    _method_name = "stg"
    _parameter_constraints: dict = {
        "gates": [StrOptions({"linear", "network"})],
        "threshold": [_SHARE],
        "sigma": [_POSITIVE, None],
        "penalty": [Interval(Real, 0, None, closed="left"), None],
        **_Network._network_constraints,
        "max_levels": [_COUNT],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        *,
        gates="linear",
        threshold=0.5,
        sigma=None,
        penalty=None,
        hidden=(10,),
        solver="auto",
        learning_rate=0.01,
        batch_size=128,
        epochs=100,
        decay=1e-4,
        restarts=3,
        max_levels=100,
        random_state=0,
        verbose=False,
    ):
        self.gates = gates
        self.threshold = threshold
        self.sigma = sigma
        self.penalty = penalty
        self.hidden = hidden
        self.solver = solver
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.epochs = epochs
        self.decay = decay
        self.restarts = restarts
        self.max_levels = max_levels
        self.random_state = random_state
        self.verbose = verbose

    def _settings(self):
        is_network = self.gates == "network"
        method = json.loads(_core.default_method("nonlinear-stg" if is_network else "stg"))
        method["threshold"] = self.threshold
        gates = method["gates"][self.gates]
        if self.sigma is not None:
            gates["sigma"] = self.sigma
        if self.penalty is not None:
            gates["penalty"] = self.penalty if is_network else {"fixed": self.penalty}
        if is_network:
            self._network(method["refit"]["network"])
        return method


_STG_PARAMETERS = (
    """
    Parameters
    ----------
    gates : {"linear", "network"}, default="linear"
        What stands behind the gates, and what is fitted to the selected variables.
    threshold : float, default=0.5
        Probability of an open gate from which a variable is selected.
    sigma : float or None, default=None
        Noise of the gates; ``None`` is 0.7, before a network 0.5.
    penalty : float or None, default=None
        Cost of an open gate as a share of the outcome's variance; ``None`` chooses from the data.
    """
    + _NETWORK_PARAMETERS
    + """max_levels : int, default=100
        Distinct texts a column may hold.
    random_state : int, RandomState instance or None, default=0
        The seed.
    verbose : bool, default=False
        Count steps on standard error.

    Attributes
    ----------
    selected_ : ndarray of str
        Names of the selected variables.
    open_probability_ : ndarray of shape (n_features_in_,)
        Probability that the gate is open.
    coef_ : ndarray
        Of a linear model: coefficients in the units of the data.
    intercept_ : float or ndarray
        Of a linear model: the constant.
    converged_ : bool
        Whether every part converged.
    summary_ : dict
        All of it, with the keys of the command line's ``--format json``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X had any.
"""
)


class STGRegressor(Regression, _STG):
    __doc__ = "Stochastic gates without reweighting: the paper's baseline STG, for regression.\n" + _STG_PARAMETERS


class STGClassifier(Classification, _STG):
    __doc__ = "Stochastic gates without reweighting: the paper's baseline STG, for two classes.\n" + _STG_PARAMETERS
