"""Time and accuracy beside LassoCV and, where they are installed, the packages stg and lassonet, in one run.

Accuracy is the mean and the largest squared error over the paper's ten test environments.
"""

import collections
import collections.abc
import time

import numpy as np
from sklearn.linear_model import LassoCV, LinearRegression

from stablevar import STGRegressor, SVIRegressor
from stablevar.datasets import TEST_RATES, make_biased_linear


def peers():
    """Models by name; each is fitted anew for every sample."""
    models = {
        "LinearRegression": LinearRegression,
        "LassoCV": lambda: LassoCV(n_jobs=2, random_state=0),
        "stablevar STG": STGRegressor,
        "stablevar SVI as published": lambda: SVIRegressor(evidence=None),
        "stablevar SVI": SVIRegressor,
    }
    try:
        from lassonet import LassoNetRegressorCV

        models["lassonet"] = lambda: LassoNetRegressorCV(hidden_dims=(10,), cv=3, verbose=False)
    except ImportError:
        print("lassonet is not installed")
    try:
        # The package asks for names that Python has moved.
        for name in ("Sequence", "Mapping", "MutableMapping", "Set"):
            setattr(collections, name, getattr(collections.abc, name))
        from stg import STG

        models["stg"] = lambda: Wrapped(STG)
    except ImportError:
        print("stg is not installed")
    return models


class Wrapped:
    """The stg package's model with the habits of an estimator."""

    def __init__(self, kind):
        self.kind = kind

    def fit(self, X, y):
        self.model = self.kind(
            task_type="regression",
            input_dim=X.shape[1],
            output_dim=1,
            hidden_dims=[],
            activation="relu",
            optimizer="SGD",
            learning_rate=0.1,
            batch_size=X.shape[0],
            sigma=0.5,
            lam=0.1,
            random_state=1,
            device="cpu",
        )
        held_out = len(y) // 10
        self.model.fit(
            X[held_out:],
            y[held_out:, None],
            nr_epochs=1000,
            valid_X=X[:held_out],
            valid_y=y[:held_out, None],
            print_interval=100_000,
        )
        return self

    def predict(self, X):
        return np.ravel(self.model.predict(X))


#: A model that takes longer is fitted once, and not to the larger table.
PATIENCE = 30.0


def main():
    too_slow = set()
    for rows, columns, samples in [(2000, 10, 3), (20_000, 30, 1)]:
        tests = [make_biased_linear(3000, r, n_features=columns, random_state=90 + k) for k, r in enumerate(TEST_RATES)]
        print(f"\nn = {rows}, p = {columns}, r = 2.5, samples: {samples}\n")
        print("| model | seconds | mean error | largest error |\n|---|---|---|---|")
        for name, make in peers().items():
            if name in too_slow:
                print(f"| {name} | not tried | | |")
                continue
            seconds, errors = [], []
            for seed in range(samples):
                X, y = make_biased_linear(rows, 2.5, n_features=columns, random_state=seed)
                start = time.perf_counter()
                model = make().fit(X.astype(np.float32) if name in ("stg", "lassonet") else X, y)
                seconds.append(time.perf_counter() - start)
                of = np.float32 if name in ("stg", "lassonet") else np.float64
                errors.append([np.mean((np.ravel(model.predict(Z.astype(of))) - u) ** 2) for Z, u in tests])
                if seconds[-1] > PATIENCE:
                    too_slow.add(name)
                    break
            mean = np.mean(errors, axis=0)
            print(f"| {name} | {np.median(seconds):.3f} | {mean.mean():.3f} | {mean.max():.3f} |", flush=True)


if __name__ == "__main__":
    main()
