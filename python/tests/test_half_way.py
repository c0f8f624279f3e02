"""A set that falls short: predictions go half-way to a fit on all columns, and new rows need those too."""

from pathlib import Path

import numpy as np
import pytest

from stablevar import SVIRegressor

pandas = pytest.importorskip("pandas")
TABLE = Path(__file__).parents[2] / "crates" / "stablevar-io" / "tests" / "models" / "short.csv"


@pytest.fixture(scope="module")
def rows():
    table = pandas.read_csv(TABLE)
    return table.drop(columns="y"), table["y"]


@pytest.fixture(scope="module")
def model(rows):
    with pytest.warns(UserWarning, match="half-way between a fit on the selected variables and one on all columns"):
        return SVIRegressor().fit(*rows)


def test_the_set_stays_what_can_be_trusted_and_the_model_says_what_it_uses(model, rows):
    X, _ = rows
    assert model.summary_["refit"]["candidate"]["beside_all"]
    assert list(model.summary_["uses"]) == list(X.columns)
    assert len(model.selected_) == 5 and model.get_support().sum() == 5
    assert len(model.coefficients_) == 9 and (model.coefficients_["coefficient"] != 0).all()
    assert model.coefficients_["standard_error"].isna().all()


def test_a_refit_that_is_asked_for_stays_with_the_selected_columns(model, rows):
    X, y = rows
    chosen = SVIRegressor(refit="robust").fit(X, y)
    assert list(chosen.summary_["uses"]) == list(chosen.selected_) == list(model.selected_)
    assert np.abs(chosen.predict(X) - model.predict(X)).max() > 0.01


def test_new_rows_need_all_columns_that_are_used(model, rows):
    X, _ = rows
    assert model.foresee(X).drift["x2"]["used"]
    with pytest.raises(ValueError, match="x2"):
        model.foresee(X.drop(columns="x2"))
    with pytest.raises(ValueError, match="x2"):
        model.predict(X.drop(columns="x2"))
