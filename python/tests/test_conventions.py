"""scikit-learn's own checks on every estimator."""

import inspect

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import stablevar
from stablevar import estimators, reweighters
from stablevar.datasets import make_biased_linear

#: There are fifty fits a check, which take long with evidence by networks, many epochs or many steps of descent.
QUICK = {"epochs": 20, "restarts": 1, "classifier": "quadratic"}
QUICK_WEIGHTS = {
    "Balance": {"ridge": None, "tol": 1e-5},
    "DWR": {"max_iter": 200},
    "SRDO": {"classifier": "quadratic"},
}


def quick(kind):
    """An estimator of this class that is fitted soon."""
    known = inspect.signature(kind).parameters
    parameters = {name: value for name, value in QUICK.items() if name in known}
    if "epochs" in parameters and "evidence" in known:
        parameters["evidence"] = None
    return kind(**parameters)


ESTIMATORS = [
    *(quick(getattr(estimators, name)) for name in estimators.__all__),
    stablevar.StableSelector(),
    *(getattr(reweighters, name)(**QUICK_WEIGHTS[name]) for name in reweighters.__all__),
]

WEIGHTED = "check_sample_weight_equivalence_on_dense_data"
#: Rows are dealt out at random for cross-fitting, so that two copies of a row are not one row of weight 2, bit for bit.
DEALT_OUT = "rows are dealt out at random, so that a row of weight 2 differs a little from the row standing twice"
MORE_COLUMNS_THAN_ROWS = "the check has 30 columns on 15 rows, where least squares on all of them is refused"
#: Checks that can't be met, with the reason.
EXPECTED = {
    "SVIRegressor": {WEIGHTED: DEALT_OUT},
    "SVIClassifier": {WEIGHTED: DEALT_OUT},
    "NonlinearSVIRegressor": {WEIGHTED: DEALT_OUT},
    "NonlinearSVIClassifier": {WEIGHTED: DEALT_OUT},
    "STGRegressor": {WEIGHTED: MORE_COLUMNS_THAN_ROWS},
    "STGClassifier": {WEIGHTED: MORE_COLUMNS_THAN_ROWS},
    "StableSelector": {WEIGHTED: DEALT_OUT},
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    ESTIMATORS, expected_failed_checks=lambda estimator: EXPECTED.get(type(estimator).__name__, {})
)
def test_conventions(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_without_evidence_a_weight_of_two_is_the_row_twice():
    X, y = make_biased_linear(n_samples=300, random_state=1)
    weights = np.random.default_rng(0).integers(0, 3, 300)
    rows = np.repeat(np.arange(300), weights)
    weighted = stablevar.SVIRegressor(evidence=None).fit(X, y, sample_weight=weights.astype(float))
    repeated = stablevar.SVIRegressor(evidence=None).fit(X[rows], y[rows])
    assert list(weighted.selected_) == list(repeated.selected_)
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-6, atol=1e-8)
    assert weighted.n_eff_ == pytest.approx(repeated.n_eff_, rel=1e-3)
