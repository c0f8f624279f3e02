"""What a fitted estimator shows: its summary, its data frames, its progress, and another choice of variables."""

import builtins
import copy
import pickle
import re
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import stablevar
from stablevar import Balance, FindingWarning, StableSelector, STGRegressor, SVIClassifier, SVIRegressor
from stablevar._summaries import standing, summary_of_model
from stablevar.datasets import make_biased_linear
from stablevar.estimators import LassoRegressor, MLPRegressor, OLSRegressor

FAST = {"evidence": "focused"}


@pytest.fixture(scope="module")
def mixed(linear):
    X, y = linear
    region = np.resize(["north", "south", "west"], len(X))
    return X.assign(region=region, flag=X["v1"] > 0), y + (region == "south")


@pytest.fixture(scope="module")
def model(mixed):
    return SVIRegressor(**FAST).fit(*mixed)


def test_evidence_is_a_frame_with_intervals(model, mixed):
    evidence = model.evidence_
    assert list(evidence.index) == list(mixed[0].columns)
    assert set(evidence.index[evidence["selected"]]) == set(model.selected_)
    numbers = evidence.drop(index="region")
    np.testing.assert_allclose(numbers["high"] - numbers["effect"], 1.959964 * numbers["standard_error"], rtol=1e-6)
    assert (numbers["low"] < numbers["effect"]).all() and evidence.loc["region", ["effect", "low", "high"]].isna().all()
    np.testing.assert_array_equal(evidence["probability"], model.probability_)
    assert evidence["doubtful"].dtype == bool
    # Variables by their names, not by their positions.
    named = {name for entry in [*evidence["judged_without"], *evidence["alternatives"]] for name in entry}
    assert named <= set(mixed[0].columns)
    assert SVIRegressor(evidence=None).fit(mixed[0].iloc[:, :4], mixed[1]).evidence_ is None
    with pytest.raises(NotFittedError):
        _ = SVIRegressor().evidence_


def test_judged_without_holds_names():
    # Near copies are judged without each other.
    X, y = make_biased_linear(n_samples=600, random_state=0, as_frame=True)
    X["twin"] = X["s3"] + 1e-3 * np.random.default_rng(0).normal(size=len(X))
    X["other"] = X["s1"] + 0.3 * np.random.default_rng(1).normal(size=len(X))
    known = [name for names in SVIRegressor().fit(X, y).evidence_["judged_without"] for name in names]
    assert "s3" in known and set(known) <= set(X.columns)


def test_coefficients_are_a_frame_with_intervals(model):
    frame = model.coefficients_
    assert dict(frame["coefficient"]) == model.summary_["coefficients"]
    assert set(frame.loc[frame.index.str.startswith("region="), "variable"]) == {"region"}
    assert (frame["low"] < frame["coefficient"]).all() and (frame["coefficient"] < frame["high"]).all()


def test_standard_errors_are_those_of_the_sandwich(linear):
    X, y = linear
    frame = OLSRegressor().fit(X, y).coefficients_
    design = np.column_stack([np.ones(len(X)), X])
    inverse = np.linalg.inv(design.T @ design)
    residuals = y - design @ (inverse @ design.T @ y)
    leverage = np.einsum("ij,jk,ik->i", design, inverse, design)
    scores = design * (residuals / (1 - leverage)).to_numpy()[:, None]
    jackknife = np.sqrt(np.diag(inverse @ (scores.T @ scores) @ inverse))[1:]
    # Residuals of rows held out in fives, not one by one.
    np.testing.assert_allclose(frame["standard_error"], jackknife, rtol=0.02)


def test_what_has_no_standard_error_says_nothing(linear):
    X, y = (values.head(300) for values in linear)
    for estimator in (LassoRegressor(), MLPRegressor(epochs=5)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = estimator.fit(X, y)
        assert fitted.coefficients_["standard_error"].isna().all() and fitted.coefficients_["low"].isna().all()
        assert "std. error" not in str(fitted.summary())


def test_without_pandas_the_message_says_where_the_same_is(model, monkeypatch):
    usual = builtins.__import__

    def without(name, *arguments, **named):
        if name == "pandas":
            raise ImportError(name)
        return usual(name, *arguments, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"evidence_ is a data frame, which needs pandas.*summary_\[\"evidence\"\]"):
        _ = model.evidence_
    with pytest.raises(ImportError, match="coefficients_ is a data frame"):
        _ = model.coefficients_
    assert "Coefficients" in str(model.summary())


def test_the_summary_has_what_one_asks_first(model):
    text = str(model.summary())
    assert text.startswith("SVIRegressor: y by 6 of 12 variables")
    assert "Probability: that 'y' depends on it when all others are known" in text and "p (evidence)" in text
    assert max(map(len, text.splitlines())) <= 80
    for word in ("Rows:", "1,500", "Effective rows", "Converged", "region=south", "[0.025", "Left out", "v5", "> 0.99"):
        assert word in text, word
    for found in model.findings_:
        assert f"[{found['code']}]" in text
    page = model.summary()._repr_html_()
    assert page.count("<table>") == 4 and "region=south" in page


def test_the_summary_tells_what_joined(linear):
    X, y = linear
    model = SVIRegressor(**FAST, stable=["v1"]).fit(X, y)
    fit = model.summary_
    assert standing(fit, "s3") == "yes" and standing(fit, "v1") == "yes, told"
    assert "joined" not in str(model.summary())
    # Where a set was not sufficient, where fits with a weak one did better, and where all columns took its place.
    for change in ({"needed": True}, {"companion": True}, {}):
        weak = copy.deepcopy(fit)
        weak["evidence"]["s5"].update(change)
        weak["probability"]["s5"] = 0.2
        assert standing(weak, "s5") == "joined"
        text = str(summary_of_model("SVIRegressor", weak))
        assert re.search(r"^s5 +joined +0.20", text, re.MULTILINE)
        assert text.count("joined: its own evidence is below") == 1
        assert max(map(len, text.splitlines())) <= 80
    # Another rule knows no threshold.
    weak["settings"]["fdr"] = 0.1
    assert standing(weak, "s5") == "yes"


def test_the_summary_escapes_names_and_keeps_its_width(linear):
    X, y = linear
    X = X.rename(columns={"s1": "<script>alert(1)</script> a name as long as this"})
    summary = SVIRegressor(**FAST).fit(X, y).summary()
    assert "<script>" not in summary._repr_html_() and "&lt;script&gt;" in summary._repr_html_()
    assert max(map(len, str(summary).splitlines())) <= 80


@pytest.mark.parametrize("columns", [5, 20, 100])
def test_summaries_of_many_variables_stay_short(columns):
    X, y = make_biased_linear(n_samples=500, n_features=columns, n_stable=2, n_biased=1, random_state=0, as_frame=True)
    text = str(SVIRegressor(**FAST).fit(X, y).summary())
    assert max(map(len, text.splitlines())) <= 80
    assert ("more: evidence_" in text) == (columns == 100)
    weights = str(Balance().fit(X).summary())
    assert max(map(len, weights.splitlines())) <= 80 and "Effective rows" in weights


def test_others_have_summaries_too(mixed):
    X, y = mixed
    selector = StableSelector(**FAST).fit(X, y)
    assert str(selector.summary()) == str(selector.estimator_.summary())
    assert selector.evidence_.equals(selector.estimator_.evidence_) and selector.findings_ is not None
    classes = SVIClassifier(**FAST).fit(X, np.where(y > 0, "up", "down")).summary()
    assert "Log-odds of" in str(classes) and "up" in str(classes)
    assert "Coefficients are log-odds of 'up'; effects are changes of its probability" in str(classes)
    assert "Coefficients" in str(OLSRegressor().fit(X, y).summary())


def test_reselection_is_the_fit_with_that_rule(linear):
    X, y = linear
    model = SVIRegressor().fit(X, y)
    for rule in ({"fdr": 0.1}, {"threshold": 0.9}, {"n_features_to_select": 3}):
        again = model.reselect(X, y, **rule)
        whole = SVIRegressor(**rule).fit(X, y)
        assert type(again) is SVIRegressor and again.get_params() == whole.get_params()
        assert list(again.selected_) == list(whole.selected_)
        np.testing.assert_array_equal(again.coef_, whole.coef_)
        np.testing.assert_array_equal(again.weights_, whole.weights_)
    # The model itself stays as it was, and what it remembers is enough for as few rows as these.
    assert model.threshold == 0.5 and list(model.selected_) == ["s1", "s2", "s3", "s4", "s5"]
    remembered = model.reselect(n_features_to_select=3)
    assert list(remembered.selected_) == list(model.reselect(X, y, n_features_to_select=3).selected_)
    assert remembered.weights_ is None
    assert pickle.loads(pickle.dumps(remembered)).predict(X).shape == (len(X),)


def test_reselection_that_can_not_be_is_refused(linear):
    X, y = linear
    model = SVIRegressor(**FAST).fit(X, y)
    for rules in ({}, {"fdr": 0.1, "threshold": 0.5}):
        with pytest.raises(ValueError, match="reselect needs one rule: threshold, n_features_to_select, fdr"):
            model.reselect(**rules)
    with pytest.raises(ValueError, match="X and y must be given together"):
        model.reselect(X, fdr=0.1)
    with pytest.raises(ValueError, match="not the rows that the model was fitted to"):
        model.reselect(X.head(700), y.head(700), fdr=0.1)
    with pytest.raises(ValueError, match="STGRegressor chooses no variables by fdr"):
        STGRegressor().fit(X, y).reselect(fdr=0.1)
    with pytest.raises(ValueError, match="fdr must be a number from 0 to 1"):
        model.reselect(fdr=2)
    with pytest.raises(NotFittedError):
        SVIRegressor().reselect(fdr=0.1)


def test_progress_is_a_bar_in_terminals_and_a_line_in_logs(linear, capsys, monkeypatch):
    X, y = (values.head(300) for values in linear)
    SVIRegressor(verbose=True).fit(X, y)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("SVIRegressor: evidence 10/10, ") and any("stress test" in line for line in lines)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    SVIRegressor(verbose=True).fit(X, y)
    drawn = capsys.readouterr().err
    assert "\r" in drawn and "[########################] evidence 10/10" in drawn and drawn.endswith("\n")


@pytest.mark.parametrize("jobs", [1, -1, -2, None])
def test_the_answer_does_not_depend_on_n_jobs(jobs, linear):
    X, y = (values.head(300) for values in linear)
    usual = SVIRegressor(**FAST).fit(X, y)
    np.testing.assert_array_equal(SVIRegressor(**FAST, n_jobs=jobs).fit(X, y).coef_, usual.coef_)
    with pytest.raises(ValueError, match="n_jobs must be"):
        SVIRegressor(n_jobs=0).fit(X, y)


def test_new_texts_are_told_of_by_all_that_read_rows(mixed):
    X, y = mixed
    model, weights = SVIRegressor(**FAST).fit(X, y), Balance().fit(X)
    new = X.head(5).assign(region="east")
    selector = StableSelector(**FAST).fit(X, y)
    for read in (model.predict, model.weigh, weights.weigh, stablevar.balance_path(X).weigh, selector.transform):
        with pytest.warns(FindingWarning, match="region") as record:
            read(new)
        told = [warning for warning in record if getattr(warning.message, "code", "") == "unseen-levels"]
        assert told and told[0].filename == __file__
        assert told[0].message.variables == ("region",) and told[0].message.figures == {"rows": 5}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        selector.transform(X)


def test_a_frame_may_be_changed_without_harm(model):
    frame = model.evidence_
    frame["probability"] = 0
    assert (model.evidence_["probability"] > 0).any()


def test_labels_tell_names_apart():
    from stablevar._summaries import labels

    names = [f"sensor_reading_of_the_{k}_mean_of_week" for k in ("inner", "outer", "inmost")] + ["short", "short"]
    found = labels(names, 22)
    assert len(set(found[:3])) == 3 and found[3:] == ["short", "short"] and max(map(len, found)) <= 22
    assert len(set(labels([f"{k}" + "x" * 40 for k in range(300)], 14))) == 300


def test_the_p_value_of_a_rare_mark_is_explained():
    random = np.random.default_rng(1)
    X = pd.DataFrame(random.normal(size=(800, 3)), columns=["a", "b", "c"])
    X["mark"] = (np.arange(800) % 89 == 0).astype(float)
    y = pd.Series(X["a"] + 1.2 * X["mark"] + random.normal(size=800), name="y")
    model = SVIRegressor(evidence="residual", random_state=0).fit(X, y)
    frame = model.evidence_
    assert list(frame.index[frame["weaker_than_t"]]) == ["mark"], frame[["t", "p_value"]]
    text = " ".join(str(model.summary()).split())
    assert "p of 'mark' is larger than effect and interval let expect" in text
    plain = SVIRegressor(evidence="residual", random_state=0).fit(X.drop(columns="mark"), y)
    assert "let expect" not in str(plain.summary())
