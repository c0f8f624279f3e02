"""Docstrings and the gallery run as they stand; pictures are drawn."""

import doctest
import importlib
import runpy
from pathlib import Path

import numpy as np
import pytest

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
    runpy.run_path(str(path), run_name="__main__")


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
    assert BalanceDisplay.from_estimator(Balance().fit(X)).after.max() < 0.01
    gates = GatesDisplay.from_estimator(SVIRegressor(evidence=None).fit(X, y))
    assert gates.gates.shape[1] == 10
    environments = np.where(X["v5"] > 0, "up", "down")
    errors = EnvironmentErrorDisplay.from_estimators({"SVI": model}, X, y, environments)
    assert set(errors.environments) == {"up", "down"}
    with pytest.raises(ValueError, match="without evidence"):
        EvidenceDisplay.from_estimator(SVIRegressor(evidence=None).fit(X, y))
    matplotlib.pyplot.close("all")


def test_every_public_method_is_documented():
    import inspect

    import stablevar

    for name in stablevar.__all__:
        thing = getattr(stablevar, name)
        if not inspect.isclass(thing):
            continue
        assert "Parameters" in thing.__doc__, name
        missing = [p for p in inspect.signature(thing).parameters if f"    {p} :" not in thing.__doc__]
        assert not missing, (name, missing)
        for method, function in inspect.getmembers(thing, inspect.isfunction):
            if not method.startswith("_") and function.__module__.startswith("stablevar"):
                assert function.__doc__, (name, method)
