"""Comparing with the Lasso under shift: what predicts well here need not hold elsewhere."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.linear_model import LassoCV

from stablevar import SVIRegressor
from stablevar.datasets import TEST_RATES, make_biased_linear
from stablevar.plotting import EnvironmentErrorDisplay

X, y = make_biased_linear(n_samples=2000, r=2.5, random_state=0, as_frame=True)
models = {"Lasso": LassoCV(random_state=0).fit(X, y), "SVI": SVIRegressor().fit(X, y)}

tests = [make_biased_linear(2000, rate, random_state=100 + k, as_frame=True) for k, rate in enumerate(TEST_RATES)]
X_test = pd.concat([rows for rows, _ in tests], ignore_index=True)
y_test = pd.concat([outcome for _, outcome in tests], ignore_index=True)
environments = np.repeat([f"{rate:g}" for rate in TEST_RATES], 2000)

display = EnvironmentErrorDisplay.from_estimators(models, X_test, y_test, environments)
for name, errors in display.errors.items():
    print(f"{name:6} mean {errors.mean():.3f}, worst {errors.max():.3f}")
plt.savefig("environments.png")
assert display.errors["SVI"].max() < display.errors["Lasso"].max()
