"""Weights into your own model: decorrelate first, then fit whatever takes sample weights.

`Balance` finds the weights closest to uniform under which columns no longer go together. If you know, or have found,
what is likely stable, correlations among those need not go, and many more rows are left.
"""

import matplotlib.pyplot as plt
from sklearn.ensemble import HistGradientBoostingRegressor

from stablevar import Balance, StableSelector
from stablevar.datasets import make_biased_linear
from stablevar.plotting import BalanceDisplay

X, y = make_biased_linear(n_samples=3000, r=2.5, random_state=0, as_frame=True)

everything = Balance().fit(X)
selector = StableSelector(evidence="focused").fit(X, y)
focused = Balance().fit(X, stable=selector.open_probability_)
print(f"effective rows of {len(X)}: {everything.n_eff_:.0f} with all pairs decorrelated")
print(f"and {focused.n_eff_:.0f} with correlations among the likely stable kept")

model = HistGradientBoostingRegressor().fit(X, y, sample_weight=focused.weights_)
print(f"boosted trees under the weights: R2 here {model.score(X, y):.2f}")

# The weights are a function of the row: new rows can be weighed too.
X_new, _ = make_biased_linear(n_samples=5, r=2.5, random_state=9, as_frame=True)
print("weights of new rows:", focused.weigh(X_new).round(2))

BalanceDisplay.from_estimator(everything)
plt.savefig("balance.png")
assert focused.n_eff_ > everything.n_eff_
