"""Classification: two classes, text columns, probabilities, and a column that misleads.

Who buys depends on age and region; the hour of the visit has nothing to do with it. But here late visits went to those
who were likely to buy, so that the hour goes with the outcome. Elsewhere late visits go to the others.
"""

import warnings

import numpy as np
import pandas as pd

from stablevar import FindingWarning, SVIClassifier
from stablevar.estimators import LogisticClassifier
from stablevar.plotting import EnvironmentErrorDisplay

warnings.filterwarnings("ignore", category=FindingWarning)  # They are printed below.
random = np.random.default_rng(0)


def visits(people: int, late_to_likely: float) -> tuple[pd.DataFrame, np.ndarray]:
    """Visits of which late ones went to people likely to buy (1), or to those unlikely to (-1)."""
    age = random.normal(45, 12, people)
    region = random.choice(["north", "south", "west"], people)
    hour = random.normal(14, 2, people)
    # Buying sets in at a certain age: no straight line, so that a linear model has something left to explain.
    log_odds = 3.0 * np.tanh((age - 50) / 4) + 1.5 * (region == "south") - 0.3
    bought = random.random(people) < 1 / (1 + np.exp(-log_odds))
    # By its outcome no row is kept or left out: it is the hour that must agree with how likely a purchase is.
    kept = random.random(people) < np.exp(-np.abs(log_odds - late_to_likely * (hour - 14)))
    table = pd.DataFrame({"age": age, "region": region, "hour": hour})[kept].reset_index(drop=True)
    return table, np.where(bought[kept], "yes", "no")


here, outcome_here = visits(15_000, 1.0)
there, outcome_there = visits(15_000, -1.0)
models = {
    "logistic": LogisticClassifier().fit(here, outcome_here),
    "SVI": SVIClassifier().fit(here, outcome_here),
}
stable = models["SVI"]
print("mean hour:", here.groupby(outcome_here)["hour"].mean().round(1).to_dict())
print("selected:", ", ".join(stable.selected_))
print(stable.coefficients_[["coefficient", "low", "high"]].round(3).to_string())
# Both are about the hour, which does predict here: whether it will elsewhere, someone must know who knows the field.
for found in stable.findings_:
    print("-", found["what"])
print(stable.predict_proba(here.head(3)).round(2))

display = EnvironmentErrorDisplay.from_estimators(
    models,
    pd.concat([here, there], ignore_index=True),
    np.concatenate([outcome_here, outcome_there]),
    np.repeat(["here", "there"], [len(here), len(there)]),
    metric="log-loss",
)
for name, errors in display.errors.items():
    print(f"{name:9} log loss here {errors[0]:.3f}, there {errors[1]:.3f}")

assert list(stable.selected_) == ["age", "region"]
assert display.errors["SVI"][1] < display.errors["logistic"][1]
