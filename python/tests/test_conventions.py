"""scikit-learn's own checks on every estimator."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import stablevar

#: Rows are dealt out at random for cross-fitting, so that two copies of a row are not one row of weight 2, bit for bit.
DEALT_OUT = "rows are dealt out at random, so that a row of weight 2 differs a little from the row standing twice"
MORE_COLUMNS_THAN_ROWS = "the check has 30 columns on 15 rows, where least squares on all of them is refused"
#: Checks that can't be met, with the reason.
EXPECTED = {
    "SVIRegressor": {"check_sample_weight_equivalence_on_dense_data": DEALT_OUT},
    "SVIClassifier": {"check_sample_weight_equivalence_on_dense_data": DEALT_OUT},
    "NonlinearSVIRegressor": {"check_sample_weight_equivalence_on_dense_data": DEALT_OUT},
    "NonlinearSVIClassifier": {"check_sample_weight_equivalence_on_dense_data": DEALT_OUT},
    "STGRegressor": {"check_sample_weight_equivalence_on_dense_data": MORE_COLUMNS_THAN_ROWS},
    "STGClassifier": {"check_sample_weight_equivalence_on_dense_data": MORE_COLUMNS_THAN_ROWS},
    "StableSelector": {"check_sample_weight_equivalence_on_dense_data": DEALT_OUT},
}

#: Networks with evidence are the same code but take a second a fit, and there are fifty fits a check.
ESTIMATORS = [
    stablevar.SVIRegressor(),
    stablevar.SVIClassifier(),
    stablevar.NonlinearSVIRegressor(evidence=None, epochs=20, restarts=1),
    stablevar.NonlinearSVIClassifier(evidence=None, epochs=20, restarts=1),
    stablevar.STGRegressor(),
    stablevar.STGClassifier(),
    stablevar.StableSelector(),
    stablevar.Balance(ridge=None, tolerance=1e-5),
    stablevar.DWR(steps=200),
    stablevar.SRDO(classifier="quadratic"),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    ESTIMATORS, expected_failed_checks=lambda estimator: EXPECTED.get(type(estimator).__name__, {})
)
def test_conventions(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_without_evidence_a_weight_of_two_is_the_row_twice():
    import numpy as np

    from stablevar.datasets import make_biased_linear

    X, y = make_biased_linear(n_samples=300, random_state=1)
    weights = np.random.default_rng(0).integers(0, 3, 300)
    rows = np.repeat(np.arange(300), weights)
    weighted = stablevar.SVIRegressor(evidence=None).fit(X, y, sample_weight=weights.astype(float))
    repeated = stablevar.SVIRegressor(evidence=None).fit(X[rows], y[rows])
    assert list(weighted.selected_) == list(repeated.selected_)
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-6, atol=1e-8)
    assert weighted.n_eff_ == pytest.approx(repeated.n_eff_, rel=1e-3)
