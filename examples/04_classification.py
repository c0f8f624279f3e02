"""Classification: two classes, text columns, probabilities."""

import numpy as np
import pandas as pd

from stablevar import SVIClassifier

random = np.random.default_rng(0)
rows = 3000
age = random.normal(45, 12, rows)
region = random.choice(["north", "south", "west"], rows)
log_odds = 0.08 * (age - 45) + 1.2 * (region == "south")
bought = np.where(random.random(rows) < 1 / (1 + np.exp(-log_odds)), "yes", "no")
# Rows were collected more readily where the hour of the visit went with the outcome.
hour = random.normal(12, 3, rows) + 2 * (bought == "yes") * (random.random(rows) < 0.5)
table = pd.DataFrame({"age": age, "region": region, "hour": hour})

model = SVIClassifier().fit(table, bought)
print("selected:", ", ".join(model.selected_))
print("log-odds:", {name: round(value, 3) for name, value in model.coefficients_.items()})
print(model.predict_proba(table.head(3)).round(2))
print("accuracy here:", round(model.score(table, bought), 3))
assert {"age", "region"} <= set(model.selected_)
