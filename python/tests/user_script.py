"""What a user would write, for the type checkers: they read it, and a test runs it."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline

import stablevar
from stablevar import (
    Balance,
    FindingWarning,
    NonlinearSVIRegressor,
    StableSelector,
    SVIClassifier,
    SVIRegressor,
)
from stablevar.datasets import make_biased_linear
from stablevar.estimators import LassoRegressor, OLSRegressor
from stablevar.plotting import BalanceDisplay, EvidenceDisplay


def selected_by(model: SVIRegressor) -> list[str]:
    """Names, as a user's own function may want them."""
    return [str(name) for name in model.selected_]


def main(folder: Path) -> None:
    """Fit, look, keep, and read again."""
    X, y = make_biased_linear(n_samples=400, r=2.5, random_state=np.random.RandomState(3), as_frame=True)

    model = SVIRegressor(evidence="focused", max_iter=3, random_state=1, verbose=False).fit(X, y)
    predicted = model.predict(X)
    print(selected_by(model), float(predicted.mean()), model.coef_.shape, model.coef_names_[0])
    print(model.probability_.round(2), model.n_eff_, model.converged_, model.get_support(indices=True))
    print([found["code"] for found in model.findings_])

    model.save(folder / "model.json")
    model.report(folder / "report.html", X, y, compare={"OLS": OLSRegressor().fit(X, y)})
    again = stablevar.load(folder / "model.json")
    same = SVIRegressor.load(str(folder / "model.json"))
    print(bool((again.predict(X) == same.predict(X)).all()), same.get_params()["max_iter"])

    classifier = SVIClassifier(evidence=None, n_features_to_select=4).fit(X, y > 0)
    print(classifier.classes_, classifier.predict_proba(X)[:2], classifier.intercept_)
    print(LassoRegressor(alpha=0.1).fit(X, y).coefficients_, model.evidence_["p_value"].min(), model.summary())
    print(model.reselect(fdr=0.1).selected_)
    print(NonlinearSVIRegressor(hidden=(8, 4), epochs=2).get_params()["hidden"])

    weights = Balance(ridge=1e-8, tol=1e-6, max_iter=900).fit(X[["s1", "s2", "v5"]])
    print(weights.weights_[:2], weights.weigh(X[["s1", "s2", "v5"]])[:2])
    pipeline = make_pipeline(StableSelector(evidence="focused", task="regression"), LinearRegression()).fit(X, y)
    print(pipeline.predict(X)[:2])

    EvidenceDisplay.from_estimator(model).plot()
    BalanceDisplay.from_estimator(weights).figure_.savefig(folder / "balance.png")


def on_a_cluster() -> None:
    """The same where rows are elsewhere."""
    from stablevar.dask import DaskBalance, DaskSVIRegressor

    model = DaskSVIRegressor(client=None, evidence=None)
    print(model.get_params(), DaskBalance(client=None, max_iter=10).max_iter)


if __name__ == "__main__":
    warning: type[Warning] = FindingWarning
    main(Path(sys.argv[1]))
    on_a_cluster()
