"""scikit-learn's own checks on every estimator."""

import inspect

import numpy as np
import pytest
from sklearn.base import clone
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
    if kind._core_name == "dwr":
        parameters["max_iter"] = 200
    return kind(**parameters)


ESTIMATORS = [
    *(quick(getattr(estimators, name)) for name in estimators.__all__),
    stablevar.StableSelector(),
    *(getattr(reweighters, name)(**QUICK_WEIGHTS[name]) for name in reweighters.__all__),
]

WEIGHTED = "check_sample_weight_equivalence_on_dense_data"
MORE_COLUMNS_THAN_ROWS = "the check has 30 columns on at most 27 rows, which is refused"
DEALT_OUT = "rows are dealt out at random for cross-validation, where a row of weight 2 is not the row standing twice"
NETWORK = "a network's ridge counts rows and not their weights, and small differences grow from step to step"
SURVEY = "weights tell of a survey unless weight_kind='frequency', so that cross-validation counts effective rows"
#: Checks that can't be met, with the reason.
EXPECTED = {
    "DWRClassifier": {WEIGHTED: MORE_COLUMNS_THAN_ROWS},
    "DWRRegressor": {WEIGHTED: MORE_COLUMNS_THAN_ROWS},
    "LassoRegressor": {WEIGHTED: DEALT_OUT},
    "LogisticClassifier": {WEIGHTED: MORE_COLUMNS_THAN_ROWS},
    "MLPClassifier": {WEIGHTED: NETWORK},
    "MLPRegressor": {WEIGHTED: NETWORK},
    "NonlinearSVIClassifier": {WEIGHTED: MORE_COLUMNS_THAN_ROWS},
    "NonlinearSVIRegressor": {WEIGHTED: MORE_COLUMNS_THAN_ROWS},
    "OLSRegressor": {WEIGHTED: MORE_COLUMNS_THAN_ROWS},
    "RidgeRegressor": {WEIGHTED: SURVEY},
    "SRDOClassifier": {WEIGHTED: MORE_COLUMNS_THAN_ROWS},
    "SRDORegressor": {WEIGHTED: MORE_COLUMNS_THAN_ROWS},
    "STGClassifier": {WEIGHTED: MORE_COLUMNS_THAN_ROWS},
    "STGRegressor": {WEIGHTED: MORE_COLUMNS_THAN_ROWS},
    "SVIClassifier": {WEIGHTED: MORE_COLUMNS_THAN_ROWS},
    "SVIDClassifier": {WEIGHTED: MORE_COLUMNS_THAN_ROWS},
    "SVIDRegressor": {WEIGHTED: MORE_COLUMNS_THAN_ROWS},
    "SVIRegressor": {WEIGHTED: MORE_COLUMNS_THAN_ROWS},
    "StableSelector": {WEIGHTED: MORE_COLUMNS_THAN_ROWS},
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    ESTIMATORS, expected_failed_checks=lambda estimator: EXPECTED.get(type(estimator).__name__, {})
)
def test_conventions(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    "estimator",
    [
        stablevar.SVIRegressor(),
        stablevar.SVIRegressor(evidence=None),
        stablevar.STGRegressor(),
        estimators.SVIDRegressor(),
        estimators.OLSRegressor(),
        estimators.LassoRegressor(alpha=0.05),
        estimators.LogisticClassifier(),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_where_no_rows_are_dealt_out_a_count_of_two_is_the_row_twice(estimator):
    X, y = make_biased_linear(n_samples=300, random_state=1)
    if isinstance(estimator, estimators.LogisticClassifier):
        y = y > 0
    weights = np.random.default_rng(0).integers(0, 3, 300)
    rows = np.repeat(np.arange(300), weights)
    counted = clone(estimator).set_params(weight_kind="frequency")
    weighted = counted.fit(X, y, sample_weight=weights.astype(float))
    repeated = clone(estimator).fit(X[rows], y[rows])
    assert list(weighted.selected_) == list(repeated.selected_)
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-6, atol=1e-8)
    assert weighted.n_eff_ == pytest.approx(repeated.n_eff_, rel=1e-3)
