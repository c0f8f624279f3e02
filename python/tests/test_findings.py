"""What a fit tells: findings as warnings, errors with a hint, and attributes that do not depend on what was found."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import stablevar
from stablevar import (
    DWR,
    Balance,
    FindingWarning,
    NonlinearSVIRegressor,
    StableSelector,
    STGRegressor,
    SVIClassifier,
    SVIRegressor,
)
from stablevar.estimators import LassoRegressor, MLPRegressor, OLSRegressor

FAST = {"evidence": "focused"}


def told(record):
    """The findings among the warnings recorded, by their codes."""
    return {warning.message.code: warning for warning in record if isinstance(warning.message, FindingWarning)}


@pytest.fixture(scope="module")
def near_copy(linear):
    X, y = linear
    return X.assign(near=X["s1"] + 1e-4 * np.random.default_rng(0).normal(size=len(X))), y


def test_a_near_copy_is_told_of_where_fit_was_called(near_copy):
    with pytest.warns(FindingWarning) as record:
        model = SVIRegressor(**FAST).fit(*near_copy)
    found = told(record)["near-copies"]
    assert found.message.variables == ("s1", "near")
    assert found.message.figures["correlation"] == pytest.approx(1, abs=1e-6)
    assert "'s1' and 'near' are nearly the same" in str(found.message) and "[near-copies]" in str(found.message)
    # In Python's words, and at the user's line.
    assert "X.drop(columns=...)" in str(found.message) and "--exclude" not in str(found.message)
    assert found.filename == __file__
    assert [entry["code"] for entry in model.findings_] == list(told(record))


@pytest.mark.parametrize("other", [Balance(), StableSelector(**FAST)], ids=lambda one: type(one).__name__)
def test_others_tell_too(other, linear):
    X, y = linear
    with pytest.warns(FindingWarning) as record:
        clone(other).fit(X.assign(copy=X["s2"] * 3), y)
    assert "repeated-column" in told(record)


def test_new_rows_are_told_of_where_predict_was_called(linear):
    X, y = linear
    X = X.assign(text=np.where(X["s1"] > 0, "high", "low"))
    model = SVIRegressor(**FAST, threshold=0.0).fit(X, y)
    with pytest.warns(FindingWarning) as record:
        model.predict(X.head(5).assign(text="never seen"))
    found = told(record)["unseen-levels"]
    assert found.message.variables == ("text",) and found.message.figures["rows"] == 5
    assert found.filename == __file__


def test_findings_can_be_silenced_and_made_errors(near_copy):
    with warnings.catch_warnings():
        warnings.filterwarnings("error", category=FindingWarning)
        with pytest.raises(FindingWarning, match="nearly the same") as caught:
            SVIRegressor(**FAST).fit(*near_copy)
    assert caught.value.code == "near-copies"
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.code, again.variables, str(again)) == ("near-copies", ("s1", "near"), str(caught.value))
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", category=FindingWarning)
        model = SVIRegressor(**FAST).fit(*near_copy)
    assert told(record) == {} and "near-copies" in [found["code"] for found in model.findings_]


@pytest.mark.parametrize(
    ("estimator", "parameter"),
    [
        (SVIRegressor(reweighter="dwr", ridge=1.0, evidence=None, max_iter=1), "ridge"),
        (STGRegressor(epochs=5), "epochs"),
        (OLSRegressor(refit="linear"), None),
    ],
    ids=["ridge", "epochs", "none"],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_setting_without_effect_is_told_of(estimator, parameter, linear):
    X, y = (values.head(200) for values in linear)
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        estimator.fit(X, y)
    found = told(record).get("setting-without-effect")
    if parameter is None:
        assert found is None
    else:
        assert found.message.variables[0] == parameter and f"{parameter} has no effect" in str(found.message)


def test_not_converging_is_scikit_learns_warning(linear):
    X, y = linear
    with pytest.warns(ConvergenceWarning, match="MLPRegressor did not converge"):
        assert not MLPRegressor(epochs=1).fit(X, y).converged_
    with pytest.warns(ConvergenceWarning, match="Balance did not converge.*max_iter"):
        assert not Balance(max_iter=1).fit(X).converged_


def test_errors_say_what_to_do(linear):
    X, y = linear
    names = [f"row {k}" for k in range(len(X))]
    with pytest.raises(ValueError, match=r"Hint: .*max_levels"):
        SVIRegressor(**FAST).fit(X.assign(name=names), y)
    with pytest.raises(ValueError, match="Hint: there is nothing to predict"):
        SVIRegressor(**FAST).fit(X, np.ones(len(y)))
    with pytest.raises(ValueError, match="Hint: give columns that vary"):
        SVIRegressor(**FAST).fit(np.ones((50, 2)), y.head(50))
    with pytest.raises(ValueError, match="Hint: use more rows, .*LassoRegressor"):
        OLSRegressor().fit(X.head(8), y.head(8))


@pytest.mark.parametrize(
    "estimator", [SVIRegressor, SVIClassifier, NonlinearSVIRegressor, StableSelector], ids=lambda kind: kind.__name__
)
def test_one_resample_is_refused_by_all(estimator, linear):
    X, y = linear
    with pytest.raises(ValueError, match="resamples must be a whole number, 2 or above"):
        estimator(resamples=1).fit(X, y > 0 if estimator is SVIClassifier else y)


@pytest.mark.parametrize("kind", [SVIRegressor, SVIClassifier], ids=lambda kind: kind.__name__)
def test_coefficients_are_as_many_whatever_is_selected(kind, linear):
    X, y = linear
    X = X.assign(text=np.resize(["x", "y", "z"], len(X)), flag=X["s2"] > 0, same=1.0, copy=2 * X["s1"])
    y = y > 0 if kind is SVIClassifier else y
    names, shapes = [], []
    for count in (1, 4, 8):
        model = kind(**FAST, n_features_to_select=count).fit(X, y)
        assert len(model.selected_) == count
        names.append(model.coef_names_)
        shapes.append(model.coef_.shape)
        by_name = dict(zip(model.coef_names_, np.ravel(model.coef_)))
        assert {name: value for name, value in by_name.items() if value != 0} == model.summary_["coefficients"]
    assert names[0] == names[1] == names[2] and len(set(shapes)) == 1
    assert [name.partition("=")[0] for name in dict.fromkeys(n.partition("=")[0] for n in names[0])] == list(X.columns)
    assert sum(name.startswith("text=") for name in names[0]) == 2
    assert shapes[0] == ((1, len(names[0])) if kind is SVIClassifier else (len(names[0]),))
    plain = kind(**FAST).fit(X[["s1", "s2", "v1"]], y)
    assert plain.coef_names_ == ["s1", "s2", "v1"] and np.size(plain.coef_) == 3


def test_a_linear_model_is_its_coefficients(linear):
    X, y = linear
    for kind in (OLSRegressor, LassoRegressor, SVIRegressor):
        model = kind().fit(X, y)
        np.testing.assert_allclose(X.to_numpy() @ model.coef_ + model.intercept_, model.predict(X), atol=1e-9)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_weights_without_a_function_are_said_to_be_so(linear):
    # Beyond thirty columns a quadratic function has too many terms to stand for free weights.
    wide = np.random.default_rng(0).normal(size=(200, 31))
    reweighter = DWR(max_iter=20).fit(wide)
    assert reweighter.weights_.shape == (200,)
    for kept in (reweighter, pickle.loads(pickle.dumps(reweighter))):
        with pytest.raises(ValueError, match="This DWR has weights of the training rows only.*Hint: .*Balance"):
            kept.weigh(wide)
    model = SVIRegressor(reweighter="dwr", evidence=None, max_iter=1).fit(wide, wide[:, 0])
    with pytest.raises(ValueError, match="can't weigh rows: no function of a row came near its weights"):
        model.weigh(wide)
    X, y = linear
    with pytest.raises(ValueError, match="can't weigh rows: its method has no weights"):
        OLSRegressor().fit(X, y).weigh(X)


@pytest.mark.filterwarnings("error::sklearn.exceptions.ConvergenceWarning")
def test_a_balance_that_is_not_feasible_goes_as_far_as_it_can():
    # Of samples as small as this some have no weights under which no pair of columns correlates.
    for seed in range(5):
        wide = np.random.default_rng(seed).normal(size=(40, 31))
        reweighter = Balance().fit(wide)
        assert reweighter.converged_ and np.ptp(reweighter.weights_) > 0.1
        assert reweighter.n_eff_ >= 20
        assert not reweighter.summary_["balance"]["exact"] and "are left" in reweighter.summary_["why"]
        assert reweighter.weigh(wide).shape == (40,)


def test_load_restores_class_and_parameters(tmp_path):
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"a": random.normal(size=300), "text": random.choice(["x", "y"], 300)})
    target = np.where(frame["a"] + (frame["text"] == "x") + random.normal(size=300) > 0.5, "yes", "no")
    model = SVIClassifier(evidence=None, threshold=0.3, max_iter=4, random_state=5).fit(frame, target)
    model.save(tmp_path / "m.json")
    with warnings.catch_warnings():
        # What was told at the fit is not told again.
        warnings.simplefilter("error")
        again = stablevar.load(tmp_path / "m.json")
    assert type(again) is SVIClassifier and again.weights_ is None
    known = again.get_params()
    assert (known["evidence"], known["threshold"], known["max_iter"], known["random_state"]) == (None, 0.3, 4, 5)
    assert list(again.classes_) == ["no", "yes"] and list(again.feature_names_in_) == ["a", "text"]
    assert list(again.predict(frame)) == list(model.predict(frame))
    with pytest.raises(ValueError, match="SVIClassifier, which is no SVIRegressor. Hint: stablevar.load reads any"):
        SVIRegressor.load(tmp_path / "m.json")
