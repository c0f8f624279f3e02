"""The strength of weights as a path."""

import pickle

import numpy as np
import pandas as pd
import pytest

from stablevar import Balance, balance_path
from stablevar.datasets import make_biased_linear


@pytest.fixture(scope="module")
def biased():
    return make_biased_linear(n_samples=2000, r=2.5, random_state=0)[0]


def real_like(rows, seed=0):
    """Columns as in real tables, which no weights decorrelate."""
    random = np.random.default_rng(seed)
    common = random.normal(size=rows)
    size = np.exp(common + 0.5 * random.normal(size=rows))
    return pd.DataFrame(
        {
            "size": size,
            "rooms": np.round(2 + size + 0.3 * random.normal(size=rows)),
            "age": random.exponential(size=rows) - common,
            "view": common > 1,
            "place": np.where(common + random.normal(size=rows) > 0, "north", "south"),
        }
    )


def test_from_no_weights_to_exact_balance(biased):
    path = balance_path(biased)
    assert path.end == "exact" and np.isinf(path.ridge[0]) and path.n_eff[0] == 2000
    assert (np.diff(path.ridge[1:]) < 0).all() and (np.diff(path.n_eff) < 1e-6).all()
    assert path.largest_correlation[-1] < 1e-6 < path.largest_correlation[-2]
    exact = Balance(ridge=1e-10).fit(biased)
    np.testing.assert_allclose(path.weights(len(path) - 1), exact.weights_, atol=1e-5)
    weights = path.weights(4)
    assert weights.mean() == pytest.approx(1)
    assert weights.sum() ** 2 / (weights**2).sum() == pytest.approx(path.n_eff[4])
    covariances = np.cov(biased.T, aweights=weights)
    deviations = np.sqrt(np.diag(covariances))
    correlations = (covariances / np.outer(deviations, deviations))[np.triu_indices(10, 1)]
    assert np.abs(correlations).max() == pytest.approx(path.largest_correlation[4])
    assert np.sqrt((correlations**2).mean()) == pytest.approx(path.rms_correlation[4])


@pytest.mark.parametrize("rows", [60, 800])
def test_balance_takes_a_point_of_the_path_and_says_how_far_it_got(rows):
    X = real_like(rows)
    path, alone = balance_path(X), Balance().fit(X)
    assert alone.converged_ and np.ptp(alone.weights_) > 0.1
    np.testing.assert_allclose(path.weights(), alone.weights_, atol=1e-5)
    assert path.n_eff[path.chosen] >= path.rule["least_n_eff"] == rows / 2
    assert alone.summary_["ridge"] == path.ridge[path.chosen]
    assert alone.summary_["why"] == path.why and "are left" in path.why
    assert alone.summary_["remaining_correlation"] == pytest.approx(path.largest_correlation[path.chosen], abs=1e-6)
    np.testing.assert_allclose(path.weigh(X.head(7)), path.weights()[:7])


def test_a_count_is_a_repeated_row():
    X = real_like(300)
    counts = np.arange(300) % 3
    weighted = balance_path(X, counts, weight_kind="frequency")
    repeated = balance_path(X.loc[X.index.repeat(counts)].reset_index(drop=True))
    np.testing.assert_allclose(weighted.n_eff, repeated.n_eff, rtol=1e-5)
    assert (weighted.weights()[counts == 0] == 0).all()


def test_frames_pickles_and_pictures(biased):
    path = balance_path(biased[:500], divergence="entropy", n_jobs=1)
    frame = path.to_frame()
    assert list(frame["chosen"]).index(True) == path.chosen and len(frame) == len(path)
    again = pickle.loads(pickle.dumps(path))
    np.testing.assert_array_equal(again.weights(), path.weights())
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from stablevar.plotting import BalancePathDisplay

    display = BalancePathDisplay.from_path(path)
    np.testing.assert_array_equal(display.ax_.lines[0].get_xdata(), path.largest_correlation)
    assert path.plot(ax=display.ax_).ax_ is display.ax_
    matplotlib.pyplot.close("all")


def test_bad_parameters_are_refused(biased):
    with pytest.raises(ValueError, match="tol must be"):
        balance_path(biased, tol=-1)
    with pytest.raises(ValueError, match="10 probabilities"):
        balance_path(biased, stable=[1])
