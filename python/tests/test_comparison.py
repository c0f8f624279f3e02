"""Ways of fitting side by side."""

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline

from stablevar import StableSelector, compare
from stablevar.datasets import make_biased_linear

COLUMNS = ["name", "columns", "cv_error", "stress_error", "stress_worst", "standard_error", "seconds", "chosen"]


@pytest.fixture(scope="module")
def sample():
    return make_biased_linear(n_samples=600, r=2.5, random_state=0)


def test_a_guest_that_is_the_baseline_has_its_figures(sample):
    X, y = sample
    guests = {"guest": LinearRegression(), "behind": make_pipeline(StableSelector(), LinearRegression())}
    table = compare(X, y, guests, repeat_selection=False)
    assert list(table.columns) == COLUMNS
    by_name = table.set_index("name")
    np.testing.assert_allclose(by_name.loc["guest", "cv_error"], by_name.loc["ols", "cv_error"], rtol=1e-8)
    np.testing.assert_allclose(by_name.loc["guest", "stress_error"], 1.0, rtol=1e-8)
    assert by_name.loc["behind", "columns"] < X.shape[1]
    assert table["chosen"].sum() == 1
    assert table.attrs["chosen"] in by_name.index
    assert {"lasso", "ridge"} <= set(by_name.index)


def test_classes_and_environments(sample):
    X, y = sample
    environments = np.where(np.asarray(X)[:, 0] > 0, "high", "low")
    guests = {"guest": LogisticRegression(C=1e8, max_iter=1000)}
    labels = np.where(np.asarray(y) > 0, "yes", "no")
    table = compare(X, labels, guests, environments=environments, repeat_selection=False)
    by_name = table.set_index("name")
    assert table.attrs["metric"] == "log-loss"
    assert len(table.attrs["regions"]) == 2
    np.testing.assert_allclose(by_name.loc["guest", "stress_error"], 1.0, rtol=1e-2)


def test_what_can_not_be_compared_is_told(sample):
    X, y = sample
    with pytest.raises(ValueError, match="in every row"):
        compare(X, y, environments=np.zeros(len(y)))
    with pytest.raises(TypeError, match="classifies"):
        compare(X, y, {"guest": LogisticRegression()})
    with pytest.raises(ValueError, match="task must be"):
        compare(X, y, task="ranking")
    trees = compare(X, y, {"trees": HistGradientBoostingRegressor(max_iter=20)}, methods=[], repeat_selection=False)
    assert "trees" in set(trees["name"])
