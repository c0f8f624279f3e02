"""The same answer as the command line, to the last bit, and models that go both ways."""

import json
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import stablevar
from stablevar import FindingWarning, NonlinearSVIRegressor, STGRegressor, SVIClassifier, SVIRegressor, _core

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

CATALOGUE = json.loads(_core.catalogue())
SETTINGS = {setting["name"]: setting for setting in CATALOGUE["settings"]}
#: Networks take long; the numbers must be the same however short they are trained.
QUICK = {
    "evidence": "none",
    "epochs": 5,
    "restarts": 1,
    "hidden": [4],
    "loops": 2,
    "steps": 100,
    "classifier": "quadratic",
}


def exact(frame, path):
    """A CSV from which every number comes back as it was."""
    frame.to_csv(path, index=False, float_format="%.17g")
    return path


def facts(summary):
    """A summary without its words, which name options in the shell and parameters in Python."""
    told = [(found["code"], found["variables"], found["figures"]) for found in summary["findings"]]
    kept = {name: value for name, value in summary.items() if name not in ("warnings", "findings")}
    return {**kept, "findings": told, "warnings": len(summary["warnings"])}


@pytest.mark.parametrize(
    ("estimator", "options"),
    [
        (SVIRegressor(), []),
        (SVIRegressor(random_state=7, threshold=0.9), ["--seed", "7", "--threshold", "0.9"]),
        (SVIRegressor(evidence=None), ["--evidence", "none"]),
        (
            SVIRegressor(evidence="focused", stable=["v1"], unstable="s2", remember=50),
            ["--evidence", "focused", "--stable", "v1", "--unstable", "s2", "--remember", "50"],
        ),
        (SVIRegressor(evidence="focused", fdr=0.2), ["--evidence", "focused", "--fdr", "0.2"]),
        (
            SVIRegressor(evidence="focused", n_features_to_select=3, resamples=4),
            ["--evidence", "focused", "--select", "3", "--resamples", "4"],
        ),
        (SVIRegressor(evidence=None, max_iter=2), ["--evidence", "none", "--loops", "2"]),
        (SVIRegressor(refit="linear", outlier_limit=2.0), ["--refit", "linear", "--outlier-limit", "2"]),
        (SVIRegressor(refit="trees", tree_rounds=20), ["--refit", "trees", "--tree-rounds", "20"]),
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
def test_every_number_is_the_command_lines(estimator, options, linear, command, tmp_path):
    agree(estimator, options, linear, command, tmp_path)


def agree(estimator, options, rows, command, folder):
    """Fits in the shell and here; returns the estimator fitted and the path of the shell's model."""
    X, y = rows
    data = exact(X.assign(y=y), folder / "t.csv")
    model, weights = folder / "m.json", folder / "w.csv"
    printed = json.loads(
        command("fit", data, "--target", "y", "--format", "json", "--model", model, "--weights", weights, *options)
    )
    estimator.fit(X, y)
    assert facts(estimator.summary_) == facts(printed)
    ours, theirs = (json.loads(text)["model"] for text in (estimator._model.to_json(), model.read_text()))
    # Each says how it was made.
    assert ours.pop("origin")["command"].endswith(".fit(X, y)")
    assert theirs.pop("origin")["command"].startswith("stablevar fit ")
    assert ours == theirs
    np.testing.assert_array_equal(estimator.weights_, np.array(weights.read_text().split()[1:], dtype=float))
    # Of classes the second column holds the probabilities.
    predicted = [line.split(",")[-1] for line in command("predict", model, data).split()[1:]]
    here = estimator.predict_proba(X)[:, 1] if hasattr(estimator, "classes_") else estimator.predict(X)
    np.testing.assert_array_equal(here, np.array(predicted, dtype=float))
    return estimator, model


def of_preset(preset, task):
    """An estimator of a method with quick settings, and the same settings for the shell."""
    options, parameters = ["--method", preset["name"], "--task", task], {}
    for name, value in QUICK.items():
        if name not in preset["parameters"]:
            continue
        options += [f"--{name}", ",".join(map(str, value)) if isinstance(value, list) else str(value)]
        parameters[SETTINGS[name]["python"]] = None if value == "none" else value
    suffix = {"regression": "Regressor", "classification": "Classifier"}[task]
    return getattr(stablevar.estimators, preset["python"] + suffix)(**parameters), options


def comparable(estimator, fitted):
    """Parameters, but for those that `fitted` left to the core (files hold what it chose) or that had no effect."""
    idle = {found["variables"][0] for found in fitted.findings_ if found["code"] == "setting-without-effect"}
    idle = {SETTINGS[name]["python"] for name in idle}
    given = fitted.get_params()
    return {
        # A sequence comes back as a tuple.
        name: tuple(value) if isinstance(value, list) else value
        for name, value in estimator.get_params().items()
        if name not in idle and given[name] not in (None, "auto")
    }


@pytest.mark.parametrize(
    ("preset", "task"),
    [
        pytest.param(preset, task, id=f"{preset['name']} {task}")
        for preset in CATALOGUE["presets"]
        for task in preset["tasks"]
    ],
)
def test_every_method_agrees_and_survives_being_kept(preset, task, linear, command, tmp_path):
    X, y = linear
    X, y = X.head(500), y.head(500)
    if task == "classification":
        y = pd.Series(np.where(y > 0, "up", "down"), name="y")
    estimator, options = of_preset(preset, task)
    fitted, written = agree(estimator, options, (X, y), command, tmp_path)
    fitted.save(tmp_path / "saved.json")
    for name, again in {
        "saved": stablevar.load(tmp_path / "saved.json"),
        "by the class": type(fitted).load(tmp_path / "saved.json"),
        "of the shell": stablevar.load(written),
        "pickled": pickle.loads(pickle.dumps(fitted)),
    }.items():
        assert type(again) is type(fitted), name
        assert comparable(again, fitted) == comparable(fitted, fitted), name
        np.testing.assert_array_equal(again.predict(X), fitted.predict(X), err_msg=name)
        assert facts(again.summary_) == facts(fitted.summary_), name
        assert list(again.selected_) == list(fitted.selected_)
        if hasattr(fitted, "coef_"):
            np.testing.assert_array_equal(again.coef_, fitted.coef_, err_msg=name)
    # What was restored makes the same model once more.
    anew = clone(stablevar.load(written)).fit(X, y)
    np.testing.assert_array_equal(anew.predict(X), fitted.predict(X))


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


def test_every_class_is_made_from_the_cores_tables():
    for module in (stablevar.estimators, stablevar.reweighters):
        for name in module.__all__:
            made = getattr(module, name)()
            json.loads(made._settings())
    root = Path(__file__).parents[2]
    pytest.importorskip("ruff", reason="ruff, which formats what is generated, is not installed")
    check = [sys.executable, str(root / "python" / "generate.py"), "--check"]
    done = subprocess.run(check, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_model_without_a_redundant_column_still_takes_it(linear, tmp_path):
    # As in King County, where the living area is the sum of the areas above and below ground.
    X, y = linear
    X = X.assign(total=X["s1"] + X["s2"], copy=-2 * X["s3"], same=1.0)
    with pytest.warns(FindingWarning, match="exact combination"):
        model = SVIRegressor(evidence="focused").fit(X, y)
    codes = {found["code"] for found in model.findings_}
    assert {"combined-column", "repeated-column", "constant-column"} <= codes
    model.save(tmp_path / "m.json")
    for again in (stablevar.load(tmp_path / "m.json"), pickle.loads(pickle.dumps(model))):
        assert list(again.feature_names_in_) == list(X.columns) and again.n_features_in_ == X.shape[1]
        np.testing.assert_array_equal(again.predict(X), model.predict(X))
        np.testing.assert_array_equal(again.coef_, model.coef_)
        assert again.coef_names_ == model.coef_names_
