"""Weights for a model of your own. Made by python/generate.py from the core's tables: change those, not this file."""

from __future__ import annotations

from typing import ClassVar, Literal

from ._base import RandomState
from ._weighing import Reweighting

__all__ = ["Balance", "DWR", "SRDO"]


class Balance(Reweighting):
    """Weights under which columns no longer go together: the weights closest to uniform, by a small convex problem.

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

    Attributes
    ----------
    weights_ : ndarray of shape (n_samples,)
        One per row, mean 1.
    n_eff_ : float
        Effective sample size.
    converged_ : bool
        Whether the search converged.
    n_iter_ : int
        Passes over the rows.
    findings_ : list of dict
        What to watch out for.
    summary_ : dict
        Correlations before and after, the largest one left, and more.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from stablevar import Balance
    >>> from stablevar.datasets import make_biased_linear
    >>> X, y = make_biased_linear(n_samples=1000, r=2.5, random_state=0)
    >>> weights = Balance().fit(X).weights_
    >>> bool(abs(np.average(X[:, 0] * X[:, 9], weights=weights)) < 0.1)
    True
    """

    _core_name = "balance"
    _parameters: ClassVar[dict[str, str]] = {
        "divergence": "divergence",
        "means": "means",
        "ridge": "ridge",
        "tol": "balance-tolerance",
        "max_iter": "balance-steps",
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
    ) -> None:
        self.divergence = divergence
        self.means = means
        self.ridge = ridge
        self.tol = tol
        self.max_iter = max_iter
        self.weight_kind = weight_kind
        self.missing = missing
        self.max_levels = max_levels
        self.random_state = random_state
        self.n_jobs = n_jobs


class DWR(Reweighting):
    """Weights under which columns no longer go together: as published: one free weight per row, by gradient descent.

    Parameters
    ----------
    max_iter : int in [0, inf), default=20_000
        Most steps of the published descent.
    tol : float in (0, inf), default=1e-12
        The loss at which the published descent stops early.
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

    Attributes
    ----------
    weights_ : ndarray of shape (n_samples,)
        One per row, mean 1.
    n_eff_ : float
        Effective sample size.
    converged_ : bool
        Whether the search converged.
    n_iter_ : int
        Passes over the rows.
    findings_ : list of dict
        What to watch out for.
    summary_ : dict
        Correlations before and after, the largest one left, and more.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X had any.
    """

    _core_name = "dwr"
    _parameters: ClassVar[dict[str, str]] = {
        "max_iter": "steps",
        "tol": "dwr-tolerance",
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
        max_iter: int = 20_000,
        tol: float = 1e-12,
        learning_rate: float = 0.01,
        weight_kind: Literal["survey", "frequency"] = "survey",
        missing: Literal["refuse", "drop", "mean"] = "refuse",
        max_levels: int = 100,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.learning_rate = learning_rate
        self.weight_kind = weight_kind
        self.missing = missing
        self.max_levels = max_levels
        self.random_state = random_state
        self.n_jobs = n_jobs


class SRDO(Reweighting):
    """Weights under which columns no longer go together: a ratio of densities: also removes dependence that
    correlations do not see.

    Parameters
    ----------
    classifier : {"network", "quadratic"}, default="network"
        What tells shuffled from original rows. "network": a network. "quadratic": logistic regression on the
        columns, their squares and products.
    weight_limit : float in (0, inf), default=20.0
        A larger ratio of densities is cut off there.
    folds : int in [2, inf), default=3
        Parts of the rows for cross-fitting the ratio of densities, or for the Lasso's cross-validation.
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

    Attributes
    ----------
    weights_ : ndarray of shape (n_samples,)
        One per row, mean 1.
    n_eff_ : float
        Effective sample size.
    converged_ : bool
        Whether the search converged.
    n_iter_ : int
        Passes over the rows.
    findings_ : list of dict
        What to watch out for.
    summary_ : dict
        Correlations before and after, the largest one left, and more.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X had any.
    """

    _core_name = "srdo"
    _parameters: ClassVar[dict[str, str]] = {
        "classifier": "classifier",
        "weight_limit": "weight-limit",
        "folds": "folds",
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
        classifier: Literal["network", "quadratic"] = "network",
        weight_limit: float = 20.0,
        folds: int = 3,
        weight_kind: Literal["survey", "frequency"] = "survey",
        missing: Literal["refuse", "drop", "mean"] = "refuse",
        max_levels: int = 100,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.classifier = classifier
        self.weight_limit = weight_limit
        self.folds = folds
        self.weight_kind = weight_kind
        self.missing = missing
        self.max_levels = max_levels
        self.random_state = random_state
        self.n_jobs = n_jobs
