"""Quick start: a model that holds where the data shift.

In this sample the last column follows the outcome only because of how rows came to be in the table. Elsewhere it
follows the opposite. Least squares falls for it, SVI does not.
"""

from sklearn.linear_model import LinearRegression
from sklearn.metrics import mean_squared_error

from stablevar import SVIRegressor
from stablevar.datasets import make_biased_linear

X, y = make_biased_linear(n_samples=1500, r=2.5, random_state=0, as_frame=True)
X_elsewhere, y_elsewhere = make_biased_linear(n_samples=5000, r=-2.5, random_state=1, as_frame=True)

least_squares = LinearRegression().fit(X, y)
stable = SVIRegressor().fit(X, y)

print("selected:", ", ".join(stable.selected_))
for name, model in [("least squares", least_squares), ("SVI", stable)]:
    here = mean_squared_error(y, model.predict(X))
    there = mean_squared_error(y_elsewhere, model.predict(X_elsewhere))
    print(f"{name:14} error here {here:.3f}, elsewhere {there:.3f}")

assert list(stable.selected_) == ["s1", "s2", "s3", "s4", "s5"]
