"""Reading the diagnostics: did it converge, how many rows are left, what correlation remains?"""

import matplotlib.pyplot as plt

from stablevar import SVIRegressor
from stablevar.datasets import make_biased_linear
from stablevar.plotting import CorrelationDisplay, GatesDisplay

X, y = make_biased_linear(n_samples=2000, r=2.5, random_state=0, as_frame=True)
model = SVIRegressor(evidence=None).fit(X, y)  # the paper's algorithm: gates decide, loop by loop

summary = model.summary_
print("converged:", model.converged_, "-", summary["stop_reason"])
print(f"effective rows: {model.n_eff_:.0f} of {summary['n']}")
print(f"largest correlation left where none should be: {summary['remaining_correlation']:.1e}")
largest = {when: max(values.values(), default=0) for when, values in summary["selection_condition"].items() if values}
print("Theorem 1 wants these below 1:", {when: round(value, 2) for when, value in largest.items()})
# What else to watch out for; `fit` raised each as a FindingWarning, too.
for found in model.findings_:
    print(f"{found['code']}: {found['what']}")

CorrelationDisplay.from_estimator(model)
plt.savefig("correlations.png")
GatesDisplay.from_estimator(model)
plt.savefig("gates.png")
model.report("report.html")
