"""Boosted trees (``refit="trees"``) beside scikit-learn's: ``python python/benches/trees.py`` prints a Markdown table.

Mean squared error, or log loss, on rows like the training rows, and on rows whose first two columns have moved by
1.5 standard deviations.
"""

from __future__ import annotations

import time

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.metrics import log_loss, mean_squared_error

from stablevar.estimators import LogisticClassifier, OLSRegressor

SHAPES = {
    "linear": lambda x: x[:, :5] @ np.array([1, -0.8, 0.6, 0.4, -0.3]),
    "bent": lambda x: (
        x[:, 0] + np.abs(x[:, 1]) + np.sin(2 * x[:, 2]) + 0.5 * np.maximum(x[:, 3], 0) ** 2 - 0.5 * x[:, 4]
    ),
    "steps": lambda x: x[:, 0] * x[:, 1] + 1.5 * (x[:, 2] > 0.3) + x[:, 3] - 0.5 * x[:, 4],
}
NEW_ROWS = 4000


def draw(random, shape, rows, columns, classes, moved):
    X = random.normal(size=(rows, columns))
    X[:, :2] += 1.5 * moved
    signal = SHAPES[shape](X)
    if classes:
        return X, (random.random(rows) < 1 / (1 + np.exp(-1.5 * signal))).astype(int)
    return X, signal + 0.7 * random.normal(size=rows)


def main():
    print(
        "| shape | rows | columns | outcome | here: ours | scikit-learn | moved: ours | scikit-learn "
        "| seconds: ours | scikit-learn |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for shape in SHAPES:
        for rows, columns in ((300, 5), (1000, 10), (3000, 10)):
            for classes in (False, True):
                random = np.random.default_rng(1)
                X, y = draw(random, shape, rows, columns, classes, False)
                tests = [draw(random, shape, NEW_ROWS, columns, classes, moved) for moved in (False, True)]
                ours = LogisticClassifier(refit="trees") if classes else OLSRegressor(refit="trees")
                theirs = HistGradientBoostingClassifier() if classes else HistGradientBoostingRegressor()
                errors, seconds = [], []
                for model in (ours, theirs):
                    start = time.perf_counter()
                    model.fit(X, y)
                    seconds.append(time.perf_counter() - start)
                    errors.append(
                        [
                            log_loss(y, model.predict_proba(X)[:, 1])
                            if classes
                            else mean_squared_error(y, model.predict(X))
                            for X, y in tests
                        ]
                    )
                figures = [errors[0][0], errors[1][0], errors[0][1], errors[1][1]]
                what = "classes" if classes else "number"
                cells = [f"{value:.3f}" for value in figures] + [f"{value:.2f}" for value in seconds]
                print(f"| {shape} | {rows} | {columns} | {what} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
