"""What users know beforehand: columns told to be stable or unstable, environments; and rows that a model keeps."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import stablevar
from stablevar import StableSelector, STGRegressor, SVIClassifier, SVIRegressor
from stablevar.datasets import make_biased_linear
from stablevar.estimators import LassoRegressor


@pytest.fixture(scope="module")
def sample():
    X, y = make_biased_linear(n_samples=800, r=2.5, random_state=0)
    names = [f"s{k}" for k in range(1, 6)] + [f"v{k}" for k in range(1, 6)]
    return pd.DataFrame(X, columns=names), y


@pytest.mark.filterwarnings("ignore::stablevar.FindingWarning")
def test_names_and_positions_tell_the_same(sample, tmp_path):
    X, y = sample
    named = SVIRegressor(stable=["v1"], unstable="s2").fit(X, y)
    placed = SVIRegressor(stable=5, unstable=[1]).fit(X, y)
    plain = SVIRegressor(stable=(5,), unstable=np.array([1])).fit(X.to_numpy(), y)
    assert "v1" in named.selected_ and "s2" not in named.selected_
    assert named.selected_.tolist() == placed.selected_.tolist()
    assert plain.get_support().tolist() == named.get_support().tolist()
    assert named.told_ == {"s2": "unstable", "v1": "stable"}
    assert {"told-stable", "told-unstable"} <= {found["code"] for found in named.findings_}
    assert named.summary_["evidence"]["s2"]["p_value"] < 1e-3
    assert clone(named).get_params()["stable"] == ["v1"]
    named.save(tmp_path / "m.json")
    assert stablevar.load(tmp_path / "m.json").stable == ("v1",)


@pytest.mark.filterwarnings("ignore::stablevar.FindingWarning")
def test_all_that_selects_keeps_to_it(sample):
    X, y = sample
    for kind in (StableSelector, LassoRegressor, STGRegressor):
        support = kind(stable="v1", unstable=[0]).fit(X, y).get_support()
        assert support[5] and not support[0], kind
    classifier = SVIClassifier(stable="v1", unstable=[0], evidence=None).fit(X, y > 0)
    assert classifier.get_support()[5] and not classifier.get_support()[0]


def test_what_can_not_be_told_is_refused(sample):
    X, y = sample
    for parameters, message in [
        ({"stable": "s1", "unstable": [0]}, "'s1' can't be stable and be unstable"),
        ({"stable": "s11"}, "no column 's11'"),
        ({"stable": [10]}, "position 10"),
        ({"unstable": -1}, "position -1"),
    ]:
        with pytest.raises(ValueError, match=message):
            SVIRegressor(**parameters).fit(X, y)
    with pytest.raises(TypeError, match="names or positions"):
        SVIRegressor(stable=[1.5]).fit(X, y)
    with pytest.raises(ValueError, match="same value in every row"):
        SVIRegressor(stable="c").fit(X.assign(c=1.0), y)


def test_environments_by_array_or_by_column(sample):
    X, y = sample
    places = np.array(["here", "there", "elsewhere", "nowhere"])[np.arange(len(y)) % 4]
    model = SVIRegressor().fit(X, y, env=places)
    found = model.environments_
    assert [place["name"] for place in found["environments"]] == ["elsewhere", "here", "nowhere", "there"]
    assert set(found["effects"]) == set(model.selected_)
    assert model.summary_["refit"]["regions"][0].startswith("'environment' = ")
    frame = X.assign(place=places)
    by_name = SVIRegressor().fit(frame, y, env="place")
    assert by_name.n_features_in_ == 10 and "place" not in by_name.feature_names_in_
    assert by_name.environments_["effects"] == found["effects"]
    # New rows may have the column or not.
    np.testing.assert_array_equal(by_name.predict(frame), by_name.predict(X))
    np.testing.assert_array_equal(by_name.predict(X), model.predict(X))
    assert SVIRegressor().fit(X, y).environments_ is None


def test_an_effect_that_differs_is_a_finding(sample):
    X, y = sample
    west = np.arange(len(y)) % 2 == 0
    other = y + np.where(west, 1.5 * X["s1"], 0.0)
    with pytest.warns(stablevar.FindingWarning, match="effects that differ .*: 's1' from"):
        model = SVIRegressor(refit="linear").fit(X, other, env=west)
    assert model.environments_["effects"]["s1"]["differs"]
    slopes = model.environments_["effects"]["s1"]["columns"]["s1"]
    assert slopes["true"]["effect"] > slopes["false"]["effect"] + 1


def test_bad_environments_are_refused(sample):
    X, y = sample
    for env, message in [
        (np.zeros(len(y)), "is '0' in every row"),
        (np.arange(len(y)), "environments for 800 rows"),
        (np.ones(5), "5 values for 800 rows"),
        (np.where(np.arange(len(y)) < 3, np.nan, 1.0), "NaN"),
        ("nothing", "no column 'nothing'"),
    ]:
        with pytest.raises(ValueError, match=message):
            SVIRegressor().fit(X, y, env=env)
    with pytest.raises(ValueError, match="no data frame"):
        SVIRegressor().fit(X.to_numpy(), y, env="s1")
    with pytest.raises(ValueError, match="value per row"):
        StableSelector().fit(X, y, env="s1")


def test_memory_can_be_switched_off(sample):
    X, y = sample
    model = SVIRegressor(remember=0, refit="linear").fit(X, y)
    assert model.summary_["remembered_rows"] == 0
    for ask in (lambda: model.foresee(X), lambda: model.shift_curve("s1"), model.shift_curves):
        with pytest.raises(ValueError, match=r"asked to keep none.*remember"):
            ask()
    assert SVIRegressor(remember=50, refit="linear").fit(X, y).summary_["remembered_rows"] == 50


def test_a_grid_of_two_shifts(sample):
    X, y = sample
    model = SVIRegressor(refit="linear").fit(X, y)
    grid = model.shift_grid("s1", "s2")
    assert grid["error"].shape == grid["n_eff"].shape == (9, 9)
    point = model.shifted_error({"s1": 0.5, "s2": -0.5})
    assert grid["error"][5, 3] == point["error"]
    with pytest.raises(ValueError, match="stands twice"):
        model.shift_grid("s1", "s1")
