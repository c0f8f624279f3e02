"""What is foreseen for new rows, and for columns that shift."""

import numpy as np
import pandas as pd
import pytest

import stablevar
from stablevar._foresight import WORDS
from stablevar.estimators import LogisticClassifier, OLSRegressor


@pytest.fixture(scope="module")
def noisy():
    """Noise grows with a, so that the error is larger where a is."""
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(size=(3000, 3)), columns=["a", "b", "c"])
    y = pd.Series(X["a"] + X["b"] + np.exp(0.5 * X["a"]) * random.normal(size=3000), name="y")
    return X, y


def test_the_error_where_noise_is_larger_is_foreseen(noisy, tmp_path):
    X, y = noisy
    model = OLSRegressor().fit(X, y)
    same, shifted = model.foresee(X), model.foresee(X + [0.8, 0, 0])
    assert same.metric == "rmse" and same.trust == "yes"
    assert same.expected_error == pytest.approx(same.training_error, rel=0.03)
    # The mean of exp(a) grows by exp(0.8), its root by exp(0.4).
    assert shifted.expected_error == pytest.approx(same.training_error * np.exp(0.4), rel=0.12)
    assert shifted.interval[0] < shifted.expected_error < shifted.interval[1]
    assert shifted.n_eff < same.n_eff
    assert next(iter(shifted.drift)) == "a"
    assert shifted.drift["a"]["standardised_difference"] == pytest.approx(0.8, abs=0.05)
    assert shifted.drift["a"]["p_value"] < 1e-6 < shifted.drift["b"]["p_value"]
    # A model from a file foresees the same.
    model.save(tmp_path / "model.json")
    assert stablevar.load(tmp_path / "model.json").foresee(X + [0.8, 0, 0]) == shifted


def test_columns_that_training_did_not_have_are_passed_over_as_on_the_command_line(noisy):
    X, y = noisy
    model = OLSRegressor().fit(X, y)
    more = X.assign(place="here", y=y)[["y", "c", "place", "b", "a"]]
    assert model.foresee(more) == model.foresee(X)
    with pytest.raises(ValueError, match="feature names should match"):
        model.foresee(more.drop(columns="a"))


def test_an_error_that_one_row_makes_is_told(noisy):
    X, y = noisy
    y = y.where(X.index != X["a"].idxmax(), 1000.0)
    curve = OLSRegressor().fit(X, y).shift_curve("a")
    at = list(curve["shift"]).index(1.0)
    assert curve["without_one"][at] < 0.1 * curve["error"][at]
    assert (curve["without_one"] <= curve["error"])[~np.isnan(curve["error"])].all()


def test_where_training_never_was_no_error_is_given(noisy):
    X, y = noisy
    far = OLSRegressor().fit(X, y).foresee(X + [20, 0, 0])
    assert far.expected_error is None and far.interval is None and far.trust == "no"
    assert far.outside_share > 0.99
    assert "rows-outside" in [finding["code"] for finding in far.findings]


def test_it_reads_as_on_the_command_line(noisy, command, tmp_path):
    X, y = noisy
    wide = X.assign(**{f"<i>{k}</i>": np.random.default_rng(k).normal(size=len(X)) for k in range(12)})
    model = OLSRegressor().fit(wide, y)
    for new in (wide, wide + 0.8, wide + 20):
        found = model.foresee(new)
        text = str(found)
        assert text == repr(found) and max(map(len, text.splitlines())) <= 80
        model.save(tmp_path / "model.json")
        new.to_csv(tmp_path / "new.csv", index=False)
        shell = command("foresee", tmp_path / "model.json", tmp_path / "new.csv").splitlines()
        lines = text.splitlines()
        # The title, the labels with the values beside them, and the columns in the same order.
        assert lines[0].replace(",", "") == shell[0].replace(",", "")
        for mine, theirs in zip(lines[2:10], shell[2:10]):
            # Here numbers have a digit less, and their thousands a comma.
            assert mine[:42] == theirs[:42] and mine[42:].replace(",", "")[:3] == theirs[42:45]
        assert all(word in " ".join(" ".join(told).split()) for word in WORDS for told in (lines, shell))
        advice = " ".join(f"What to do: {found.advice}.".split())
        heads = [
            next(k for k, line in enumerate(told) if line.startswith(("column", " column"))) for told in (lines, shell)
        ]
        assert all(advice in " ".join(" ".join(told).split()) for told in (lines, shell))
        mine, theirs = (told[head : head + 13] for told, head in zip((lines, shell), heads))
        assert mine[0].split() == theirs[0].split()
        assert [line.split()[0] for line in mine] == [line.split()[0] for line in theirs]
        assert lines[heads[0] + 13].startswith("and 3 more columns, which matter less")
        assert all(f"[{finding['code']}]" in text for finding in found.findings)
        page = found._repr_html_()
        assert page.count("<table>") == 2 and "<i>" not in page and "&lt;i&gt;" in page
    frame = found.drift_frame()
    assert list(frame.index) == list(found.drift) and frame.index.name == "column"
    assert frame.loc["a", "standardised_difference"] == found.drift["a"]["standardised_difference"]


def test_curves_rise_where_noise_does(noisy):
    X, y = noisy
    model = OLSRegressor().fit(X, y)
    curve = model.shift_curve("a")
    assert curve["column"] == "a" and curve["level"] is None and curve["used"]
    at = {shift: error for shift, error in zip(curve["shift"], curve["error"])}
    assert at[-1.0] < at[0.0] < at[1.0]
    assert at[1.0] == pytest.approx(at[0.0] * np.exp(0.5), rel=0.15)
    assert model.shift_curves()[0]["column"] == "a"
    assert model.shifted_error({"a": 1.0})["error"] == pytest.approx(at[1.0])
    assert model.shifted_error({"a": 0.5, "b": 0.5})["n_eff"] < 3000
    with pytest.raises(ValueError, match="no column 'd'"):
        model.shift_curve("d")


def test_classes_and_texts_have_an_error_rate_and_shares(noisy):
    X, y = noisy
    X = X.assign(t=np.where(X["c"] > 0.5, "high", "low"))
    model = LogisticClassifier().fit(X, y > 0)
    new = X.assign(t="high")
    found = model.foresee(new)
    assert found.metric == "error-rate" and found.drift["t"]["level"] == "high"
    assert found.drift["t"]["new_mean"] == pytest.approx(1.0)
    assert model.shift_curve("t")["level"] == "high"
    strange = model.foresee(X.assign(t="new"))
    assert strange.outside_share == 1.0 and strange.drift["t"]["new_levels"] == ["new"]


def test_curves_can_be_drawn(noisy):
    pytest.importorskip("matplotlib").use("Agg")
    from stablevar.plotting import ShiftCurveDisplay

    display = ShiftCurveDisplay.from_estimator(OLSRegressor().fit(*noisy), ["a", "b"])
    assert len(display.ax_.lines) == 2


def test_a_model_that_is_no_line_says_so_where_coefficients_are_asked_for(noisy):
    X, y = noisy
    model = stablevar.SVIRegressor(evidence=None, refit="trees", tree_rounds=5).fit(X[:400], y[:400])
    assert not hasattr(model, "coef_") and hasattr(OLSRegressor().fit(X, y), "coef_")
    with pytest.raises(
        AttributeError, match=r"'coef_': its model \(trees\) is no straight line. coefficients_ has mean"
    ):
        _ = model.coef_
    with pytest.raises(AttributeError, match="no attribute 'coefs_'$"):
        _ = model.coefs_
