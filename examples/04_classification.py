"""Classification: two classes, text columns, probabilities."""

import numpy as np
import pandas as pd

from stablevar import SVIClassifier

random = np.random.default_rng(0)
people = 12_000
age = random.normal(45, 12, people)
region = random.choice(["north", "south", "west"], people)
hour = random.normal(12, 3, people)
log_odds = 0.08 * (age - 45) + 1.2 * (region == "south") - 0.4
bought = np.where(random.random(people) < 1 / (1 + np.exp(-log_odds)), "yes", "no")
# Who was likely to buy was visited late, others early: the hour tells nothing by itself, but goes with the outcome.
visited = random.random(people) < 1 / (1 + np.exp(-(hour - 12) * log_odds))
table = pd.DataFrame({"age": age, "region": region, "hour": hour})[visited].reset_index(drop=True)
outcome = bought[visited]

model = SVIClassifier().fit(table, outcome)
print("selected:", ", ".join(model.selected_))
print("log-odds:", {name: round(value, 3) for name, value in model.coefficients_.items()})
print(model.predict_proba(table.head(3)).round(2))
print("accuracy here:", round(model.score(table, outcome), 3))
assert set(model.selected_) == {"age", "region"}
