"""Choosing variables you can trust: probabilities, evidence, and other rules.

Every variable is judged on its own, given all the others. `evidence_` says how, and a forest plot shows it.
"""

import matplotlib.pyplot as plt

from stablevar import SVIRegressor
from stablevar.datasets import make_biased_linear
from stablevar.plotting import EvidenceDisplay

X, y = make_biased_linear(n_samples=1500, r=2.5, random_state=1, as_frame=True)
model = SVIRegressor().fit(X, y)

print(model.evidence_[["effect", "low", "high", "p_value", "probability"]].round(4).to_string())

# A false discovery rate instead of a probability, and what random halves of the rows agree on: half the rows are few
# for the weakest ones.
print("FDR 10 %:", ", ".join(model.reselect(X, y, fdr=0.1).selected_))
resampled = SVIRegressor(resamples=10).fit(X, y)
print("in halves:", {name: round(share, 1) for name, share in resampled.summary_["selection_frequency"].items()})

EvidenceDisplay.from_estimator(model)
plt.savefig("evidence.png")
