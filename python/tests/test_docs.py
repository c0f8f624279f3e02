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
        missing = [p for p in inspect.signature(thing).parameters if f"    {p} :" not in thing.__doc__]
        assert not missing, (name, missing)
        for method, function in inspect.getmembers(thing, inspect.isfunction):
            if not method.startswith("_") and function.__module__.startswith("stablevar"):
                assert function.__doc__, (name, method)
