"""The same answer as the command line, to the last bit, and models that go both ways."""

import json

import numpy as np
import pandas as pd
import pytest

from stablevar import (
    DWR,
    SRDO,
    Balance,
    NonlinearSVIRegressor,
    STGRegressor,
    SVIClassifier,
    SVIRegressor,
)


def exact(frame, path):
    """A CSV from which every number comes back as it was."""
    frame.to_csv(path, index=False, float_format="%.17g")
    return path


@pytest.mark.parametrize(
    ("estimator", "options"),
    [
        (SVIRegressor(), []),
        (SVIRegressor(random_state=7, threshold=0.9), ["--seed", "7", "--threshold", "0.9"]),
        (SVIRegressor(evidence=None), ["--evidence", "none"]),
        (SVIRegressor(evidence="focused", fdr=0.2), ["--evidence", "focused", "--fdr", "0.2"]),
        (
            SVIRegressor(evidence="focused", n_features_to_select=3, resamples=4),
            ["--evidence", "focused", "--select", "3", "--resamples", "4"],
        ),
        (SVIRegressor(evidence=None, max_iter=2), ["--evidence", "none", "--loops", "2"]),
        (SVIRegressor(refit="linear", outlier_limit=2.0), ["--refit", "linear", "--outlier-limit", "2"]),
        (
            SVIRegressor(evidence=None, sigma=0.5, penalty_factor=1.0),
            ["--evidence", "none", "--sigma", "0.5", "--lambda-factor", "1"],
        ),
        (STGRegressor(), ["--method", "stg"]),
        (STGRegressor(penalty=0.01, sigma=0.6), ["--method", "stg", "--lambda", "0.01", "--sigma", "0.6"]),
        (STGRegressor(gates="network", epochs=10), ["--method", "stg", "--gates", "network", "--epochs", "10"]),
        (NonlinearSVIRegressor(epochs=10, hidden=8), ["--method", "nonlinear-svi", "--epochs", "10", "--units", "8"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_number_is_the_command_lines(estimator, options, linear, command, tmp_path):
    X, y = linear
    data = exact(X.assign(y=y), tmp_path / "t.csv")
    model, weights = tmp_path / "m.json", tmp_path / "w.csv"
    printed = json.loads(
        command("fit", data, "--target", "y", "--format", "json", "--model", model, "--weights", weights, *options)
    )
    estimator.fit(X, y)
    assert estimator.summary_ == printed
    ours, theirs = (json.loads(text)["model"] for text in (estimator._model.to_json(), model.read_text()))
    # Each says how it was made.
    assert ours.pop("origin")["command"].endswith(".fit(X, y)")
    assert theirs.pop("origin")["command"].startswith("stablevar fit ")
    assert ours == theirs
    np.testing.assert_array_equal(estimator.weights_, np.array(weights.read_text().split()[1:], dtype=float))
    predicted = command("predict", model, data).split()[1:]
    np.testing.assert_array_equal(estimator.predict(X), np.array(predicted, dtype=float))


def test_models_go_both_ways(linear, command, tmp_path):
    X, y = linear
    model = SVIRegressor(evidence="focused").fit(X, y)
    model.save(tmp_path / "m.json")
    data = exact(X, tmp_path / "x.csv")
    printed = command("predict", tmp_path / "m.json", data).split()[1:]
    np.testing.assert_array_equal(model.predict(X), np.array(printed, dtype=float))
    loaded = SVIRegressor.load(tmp_path / "m.json")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    np.testing.assert_array_equal(loaded.coef_, model.coef_)
    with pytest.raises(ValueError, match="regression"):
        SVIClassifier.load(tmp_path / "m.json")
    with pytest.raises(OSError, match="nowhere"):
        SVIRegressor.load(tmp_path / "nowhere.json")
    model.report(tmp_path / "r.html")
    assert "<html" in (tmp_path / "r.html").read_text()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_classes_of_any_kind(linear, command, tmp_path):
    X, y = linear
    up = (y > y.median()).to_numpy()
    data = exact(X.assign(y=np.where(up, "up", "down")), tmp_path / "t.csv")
    command("fit", data, "--target", "y", "--model", tmp_path / "m.json", "--evidence", "focused")
    lines = command("predict", tmp_path / "m.json", data).split()[1:]
    labels, printed = zip(*(line.split(",") for line in lines))
    probabilities = np.array(printed, dtype=float)
    loaded = SVIClassifier.load(tmp_path / "m.json")
    np.testing.assert_array_equal(loaded.predict_proba(X)[:, 1], probabilities)
    assert list(loaded.predict(X)) == list(labels)
    for target, classes in [
        (np.where(up, "up", "down"), ["down", "up"]),
        (up, [False, True]),
        (up.astype(int), [0, 1]),
        (np.where(up, 5, 2), [2, 5]),
        (pd.Series(np.where(up, "up", "down"), dtype="category"), ["down", "up"]),
    ]:
        model = SVIClassifier(evidence="focused").fit(X, target)
        assert list(model.classes_) == classes
        np.testing.assert_array_equal(model.predict_proba(X)[:, 1], probabilities)
        assert set(model.predict(X)) <= set(classes)


@pytest.mark.parametrize(
    "estimator", [SVIRegressor(), STGRegressor(), STGRegressor(gates="network"), NonlinearSVIRegressor()]
)
def test_defaults_are_the_cores(estimator):
    from stablevar import _core

    name = "nonlinear-stg" if estimator.get_params().get("gates") == "network" else estimator._method_name
    assert estimator._settings() == json.loads(_core.default_method(name))


@pytest.mark.parametrize("reweighter", [Balance(), DWR(), SRDO()])
def test_reweighters_defaults_are_the_cores(reweighter):
    from stablevar import _core

    assert reweighter._settings() == json.loads(_core.default_reweighter(type(reweighter).__name__.lower()))
