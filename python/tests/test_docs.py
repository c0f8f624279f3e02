"""Docstrings and the gallery run as they stand; pictures are drawn."""

import doctest
import importlib
import inspect
import runpy
import warnings
from pathlib import Path

import numpy as np
import pytest

import stablevar

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


@pytest.mark.parametrize("name", ["estimators", "selector", "reweighters", "datasets"])
def test_docstrings(name):
    module = importlib.import_module(f"stablevar.{name}")
    # Classes' docstrings are put together, so that doctest's finder needs the classes.
    outcome = doctest.testmod(module)
    assert outcome.failed == 0
    assert outcome.attempted > 0


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_gallery(path, monkeypatch, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", stablevar.FindingWarning)
        runpy.run_path(str(path), run_name="__main__")
    # Readers should see what is printed, and no more warnings than are spoken of.
    assert len([warning for warning in told if warning.category is stablevar.FindingWarning]) <= 1


def test_the_script_that_type_checkers_read_runs(tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    script = runpy.run_path(str(Path(__file__).parent / "user_script.py"))
    script["main"](tmp_path)
    pytest.importorskip("distributed")
    script["on_a_cluster"]()
    matplotlib.pyplot.close("all")


def test_pictures(linear):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from stablevar import Balance, SVIRegressor
    from stablevar.plotting import (
        BalanceDisplay,
        CorrelationDisplay,
        EnvironmentErrorDisplay,
        EvidenceDisplay,
        GatesDisplay,
    )

    X, y = linear
    model = SVIRegressor(evidence="focused").fit(X, y)
    heat = CorrelationDisplay.from_estimator(model)
    assert len(heat.axes_) == 2 and heat.matrices[0].shape == (10, 10)
    np.testing.assert_allclose(heat.matrices[0], np.corrcoef(X.T), atol=1e-10)
    forest = EvidenceDisplay.from_estimator(model)
    assert len(forest.ax_.get_yticks()) == 10
    balance = BalanceDisplay.from_estimator(model)
    assert balance.after[9] < balance.before[9]
    assert BalanceDisplay.from_estimator(Balance(ridge=1e-10).fit(X)).after.max() < 0.01
    gates = GatesDisplay.from_estimator(SVIRegressor(evidence=None).fit(X, y))
    assert gates.gates.shape[1] == 10
    environments = np.where(X["v5"] > 0, "up", "down")
    errors = EnvironmentErrorDisplay.from_estimators({"SVI": model}, X, y, environments)
    assert set(errors.environments) == {"up", "down"}
    with pytest.raises(ValueError, match="without evidence"):
        EvidenceDisplay.from_estimator(SVIRegressor(evidence=None).fit(X, y))
    matplotlib.pyplot.close("all")


def _overprinted(figure):
    """Pairs of texts of a drawn figure that lie on each other."""
    from matplotlib.text import Text

    def drawn(axis):
        low, high = sorted(axis.get_view_interval())
        return [label for at, label in zip(axis.get_ticklocs(), axis.get_ticklabels()) if low <= at <= high]

    figure.canvas.draw()
    texts = []
    for ax in figure.axes:
        for text in [*drawn(ax.xaxis), *drawn(ax.yaxis), *ax.texts, ax.xaxis.label, ax.yaxis.label, ax.title]:
            if text.get_text() and text.get_visible():
                # Of an annotation the words without the line that leads to them.
                texts.append((text.get_text(), Text.get_window_extent(text)))
    # Upright labels may touch by the height of an accent.
    boxes = [(name, box.padded(-1)) for name, box in texts]
    return [(a, b) for k, (a, one) in enumerate(boxes) for b, other in boxes[k + 1 :] if one.overlaps(other)]


@pytest.mark.parametrize("columns", [5, 20, 100])
def test_pictures_of_any_size_can_be_read(columns):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from stablevar import Balance, SVIRegressor, balance_path
    from stablevar import plotting as p
    from stablevar.datasets import make_biased_linear

    X, y = make_biased_linear(600, n_features=columns, n_stable=2, n_biased=1, random_state=0, as_frame=True)
    long = {name: f"a_rather_long_name_of_{name}" for name in X.columns[::5]}
    X = X.rename(columns=long)
    judged = SVIRegressor(evidence="focused").fit(X, y)
    gated = SVIRegressor(evidence=None, max_iter=4).fit(X, y)
    once = p.GatesDisplay(list(X.columns), np.linspace(0, 1, columns)[None], set(X.columns[:3]))
    places = np.array([f"place {k % columns}" for k in range(len(y))])
    models = {"judged": judged, "gated": gated}
    displays = [
        p.CorrelationDisplay.from_estimator(judged),
        p.GatesDisplay.from_estimator(gated),
        once.plot(),
        p.EvidenceDisplay.from_estimator(judged),
        p.BalanceDisplay.from_estimator(Balance().fit(X)),
        p.BalancePathDisplay.from_path(balance_path(X.iloc[:, :20])),
        p.EnvironmentErrorDisplay.from_estimators(models, X, y, places, metric="mae"),
        p.ShiftCurveDisplay.from_estimator(judged),
    ]
    for display in displays:
        assert _overprinted(display.figure_) == [], type(display).__name__
    matplotlib.pyplot.close("all")
    # One loop makes no lines: a row for every gate, as of other evidence.
    assert len(once.ax_.get_yticks()) == min(columns, 40) and "loop" in once.ax_.get_xlabel()
    # What is left out is said, and can be had.
    forest = p.EvidenceDisplay.from_estimator(judged)
    assert len(forest.ax_.get_yticks()) == min(columns, 40)
    assert any("60 more not shown" in text.get_text() for text in forest.ax_.texts) == (columns == 100)
    assert len(p.EvidenceDisplay.from_estimator(judged, most=None).ax_.get_yticks()) == columns
    matplotlib.pyplot.close("all")


def test_errors_by_environment_by_any_metric(linear):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from sklearn.metrics import log_loss, roc_auc_score

    from stablevar.estimators import LogisticClassifier, OLSRegressor
    from stablevar.plotting import EnvironmentErrorDisplay

    X, y = linear
    places = np.array([f"place {k % 11}" for k in range(len(y))])
    draw = EnvironmentErrorDisplay.from_estimators
    square, root, absolute = (
        draw({"ols": OLSRegressor().fit(X, y)}, X, y, places, metric=metric) for metric in (None, "rmse", "mae")
    )
    np.testing.assert_allclose(np.sqrt(square.errors["ols"]), root.errors["ols"])
    assert square.metric == "mean squared error" and absolute.metric == "mean absolute error"
    # By the numbers in their names.
    assert square.environments == [f"place {k}" for k in range(11)]
    classes = np.where(y > 0, "up", "down")
    model = LogisticClassifier().fit(X, classes)
    first, second = places == "place 0", model.predict_proba(X)[:, 1]
    loss = draw({"logistic": model}, X, classes, places, metric="log-loss").errors["logistic"][0]
    area = draw({"logistic": model}, X, classes, places, metric="one-minus-auc").errors["logistic"][0]
    assert loss == pytest.approx(log_loss(classes[first], second[first]))
    assert area == pytest.approx(1 - roc_auc_score(classes[first] == "up", second[first]))
    with pytest.raises(ValueError, match="metric must be one of error-rate, log-loss, one-minus-auc here, not 'mse'"):
        draw({"logistic": model}, X, classes, places, metric="mse")
    matplotlib.pyplot.close("all")


@pytest.mark.parametrize("place", ["stablevar", "stablevar.estimators", "stablevar.reweighters", "stablevar.dask"])
def test_every_public_method_is_documented(place):
    if place.endswith("dask"):
        pytest.importorskip("distributed")
    module = importlib.import_module(place)
    for name in module.__all__:
        thing = getattr(module, name)
        if not inspect.isclass(thing):
            continue
        assert "Parameters" in thing.__doc__, name
        # From Python 3.13 on docstrings come without their indentation.
        lines = inspect.cleandoc(thing.__doc__).splitlines()
        missing = [
            p for p in inspect.signature(thing).parameters if not any(line.startswith(f"{p} :") for line in lines)
        ]
        assert not missing, (name, missing)
        for method, function in inspect.getmembers(thing, inspect.isfunction):
            if not method.startswith("_") and function.__module__.startswith("stablevar"):
                assert function.__doc__, (name, method)
