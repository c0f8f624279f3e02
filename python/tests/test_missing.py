"""Missing values: refused with a hint, left out, or filled in."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.pipeline import make_pipeline

import stablevar
from stablevar import Balance, StableSelector, SVIClassifier, SVIRegressor
from stablevar.estimators import OLSRegressor

FAST = {"evidence": "focused"}


@pytest.fixture(scope="module")
def gaps():
    """A number, a text and a boolean that count, and one number that does not; some of each are missing."""
    random = np.random.default_rng(0)
    rows = 600
    frame = pd.DataFrame(
        {
            "a": random.normal(size=rows),
            "b": random.normal(size=rows),
            "text": random.choice(["x", "x", "y"], rows),
            "flag": random.random(rows) < 0.5,
        }
    )
    y = 2 * frame["a"] + 2 * (frame["text"] == "y") + frame["flag"] + 0.3 * random.normal(size=rows)
    frame = frame.astype({"flag": "boolean", "text": object})
    frame.loc[::20, "a"] = np.nan
    frame.loc[3::20, "text"] = None
    frame.loc[7::20, "flag"] = pd.NA
    return frame, y.rename("y")


def test_they_are_refused_with_a_hint(gaps):
    X, y = gaps
    for columns in (["a"], ["text", "b"], ["flag", "b"]):
        with pytest.raises(ValueError, match='contains NaN. Hint: missing="drop"'):
            SVIRegressor(**FAST).fit(X[columns], y)
    with pytest.raises(ValueError, match='contains NaN. Hint: missing="drop"'):
        Balance().fit(X[["a", "b"]].to_numpy())
    with pytest.raises(ValueError, match="missing must be one of refuse, drop, mean"):
        SVIRegressor(missing="guess").fit(X, y)


def test_rows_with_any_are_left_out(gaps):
    X, y = gaps
    whole = X.notna().all(axis=1)
    model = SVIRegressor(**FAST, missing="drop").fit(X, y)
    same = SVIRegressor(**FAST).fit(X[whole], y[whole])
    np.testing.assert_array_equal(model.coef_, same.coef_)
    assert (model.weights_[~whole] == 0).all() and (model.weights_[whole] == same.weights_).all()
    assert "rows-left-out" in [found["code"] for found in model.findings_]
    with pytest.raises(ValueError, match='missing values.*missing="mean"'):
        model.predict(X)


def test_they_are_filled_in_also_when_predicting(gaps, command, tmp_path):
    X, y = gaps
    model = SVIRegressor(**FAST, missing="mean").fit(X, y)
    assert set(model.selected_) == {"a", "text", "flag"}
    filled = X.assign(a=X["a"].fillna(X["a"].mean()), text=X["text"].fillna("x"))
    assert np.isfinite(model.predict(X)).all()
    with pytest.warns(stablevar.FindingWarning, match="filled|mean"):
        predicted = model.predict(X.head(1))
    np.testing.assert_allclose(predicted, model.predict(filled.head(1)), atol=1e-9)
    # As the command line does, to the last bit; and a file keeps what was asked for.
    X.assign(y=y).to_csv(tmp_path / "gaps.csv", index=False)
    command(
        "fit",
        tmp_path / "gaps.csv",
        "--target",
        "y",
        "--missing",
        "mean",
        "--evidence",
        "focused",
        "--model",
        tmp_path / "m.json",
    )
    again = stablevar.load(tmp_path / "m.json")
    assert again.missing == "mean"
    np.testing.assert_allclose(again.coef_, model.coef_, rtol=1e-12)


def test_arrays_selectors_and_reweighters_take_them_too(gaps):
    X, y = gaps
    numbers = X[["a", "b"]].to_numpy(dtype=float)
    assert OLSRegressor(missing="mean").fit(numbers, y).predict(numbers).shape == (len(y),)
    assert Balance(missing="mean").fit(X).weights_.shape == (len(y),)
    pipeline = make_pipeline(StableSelector(**FAST, missing="mean"), HistGradientBoostingRegressor(max_iter=20))
    assert pipeline.fit(X, y).score(X, y) > 0.8
    classes = SVIClassifier(**FAST, missing="drop").fit(X, y > 1)
    assert set(classes.selected_) >= {"a"}
    assert clone(classes).missing == "drop"


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_frames_of_every_library(gaps, library):
    X, y = gaps
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.Table.from_pandas(X, preserve_index=False)
    other = pytest.importorskip("polars").from_arrow(table) if library == "polars" else table
    usual = SVIRegressor(**FAST, missing="mean").fit(X, y)
    np.testing.assert_array_equal(SVIRegressor(**FAST, missing="mean").fit(other, y).coef_, usual.coef_)


def test_outcomes_must_be_there(gaps):
    X, y = gaps
    with pytest.raises(ValueError, match="NaN"):
        SVIRegressor(**FAST, missing="drop").fit(X, y.where(y > 0))
