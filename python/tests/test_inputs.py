"""Arrays, data frames, and what can be wrong with them."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline

import stablevar
from stablevar import DWR, SRDO, Balance, StableSelector, STGRegressor, SVIClassifier, SVIRegressor
from stablevar.datasets import load_adult, load_king_county
from stablevar.estimators import OLSRegressor

FAST = {"evidence": "focused"}


def mixed(rows=400, seed=0):
    """Two numbers, a text, a category, a boolean; the text counts."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": random.normal(size=rows),
            "b": random.normal(size=rows),
            "text": random.choice(["x", "y", "z"], rows),
            "category": pd.Categorical(random.choice(["p", "q"], rows)),
            "flag": random.random(rows) < 0.4,
        }
    )
    return frame, (2 * frame["a"] + 3 * (frame["text"] == "y") + 0.5 * random.normal(size=rows)).rename("out")


def test_layout_and_kind_of_array_do_not_matter(linear):
    X, y = linear
    values, outcome = X.to_numpy(), y.to_numpy()
    expected = SVIRegressor(**FAST).fit(np.ascontiguousarray(values), outcome)
    views = {
        "fortran": np.asfortranarray(values),
        "strided": np.repeat(np.repeat(values, 2, axis=0), 2, axis=1)[::2, ::2],
        "reversed twice": values[::-1][::-1],
        "list": values.tolist(),
    }
    for name, view in views.items():
        model = SVIRegressor(**FAST).fit(view, outcome)
        np.testing.assert_array_equal(model.coef_, expected.coef_, err_msg=name)
        np.testing.assert_array_equal(model.weights_, expected.weights_, err_msg=name)
    frame = SVIRegressor(**FAST).fit(X, y)
    np.testing.assert_array_equal(frame.coef_, expected.coef_)
    assert list(frame.feature_names_in_) == list(X.columns)
    assert list(frame.selected_) == ["s1", "s2", "s3", "s4", "s5"]
    assert list(expected.get_feature_names_out()) == ["x0", "x1", "x2", "x3", "x4"]


def test_frames_of_every_library_give_the_same_model():
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    frame, y = mixed()
    model = SVIRegressor(**FAST).fit(frame, y)
    assert set(model.selected_) == {"a", "text"}
    assert set(model.coefficients_.index) == {"a", "text=y", "text=z"} or len(model.coefficients_) == 3
    assert model.summary_["target"] == "out"
    others = {
        "polars": polars.from_pandas(frame),
        "pyarrow": pyarrow.Table.from_pandas(frame.astype({"category": str})),
        "nullable": frame.astype({"a": "Float64", "flag": "boolean", "text": "string"}),
    }
    for name, other in others.items():
        again = SVIRegressor(**FAST).fit(other, y.to_numpy())
        assert again.coefficients_.equals(model.coefficients_), name
        np.testing.assert_array_equal(again.predict(other), model.predict(frame), err_msg=name)
    numbers = frame[["a", "b"]]
    plain = SVIRegressor(**FAST).fit(numbers, y)
    arrow = SVIRegressor(**FAST).fit(pyarrow.Table.from_pandas(numbers), y)
    np.testing.assert_array_equal(plain.coef_, arrow.coef_)


def test_unseen_texts_and_changed_columns():
    frame, y = mixed()
    model = SVIRegressor(**FAST).fit(frame, y)
    other = frame.head(5).assign(text="never seen")
    assert np.isfinite(model.predict(other)).all()
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"a": "c"}))
    with pytest.raises(ValueError, match="feature"):
        model.predict(frame.drop(columns="a"))
    for column, value in [("a", np.nan), ("text", None)]:
        broken = frame.copy()
        broken.loc[3, column] = value
        with pytest.raises(ValueError, match="NaN"):
            SVIRegressor(**FAST).fit(broken, y)


def test_misuse_is_told_in_scikit_learns_words(linear):
    X, y = linear
    with pytest.raises(NotFittedError):
        SVIRegressor().predict(X)
    with pytest.raises(TypeError, match="[Ss]parse"):
        SVIRegressor().fit(sparse.csr_matrix(X), y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        SVIRegressor().fit(X, y[:-1])
    with pytest.raises(ValueError, match="Expected 2D array, got 1D array"):
        SVIRegressor().fit(X["s1"].to_numpy(), y)
    with pytest.raises(ValueError, match="Input X contains NaN"):
        SVIRegressor().fit(X.where(X["s1"] < 1), y)
    with pytest.raises(ValueError, match="Input X contains infinity"):
        SVIRegressor().fit(X.replace({X.iloc[0, 0]: np.inf}), y)
    with pytest.raises(ValueError, match="SVIRegressor predicts numbers, and .* for two classes use SVIClassifier"):
        SVIRegressor().fit(X, np.where(y > 0, "up", "down"))
    with pytest.raises(ValueError, match="OLSRegressor predicts .* 'built' holds .*'1900-1919'.* SVIClassifier"):
        OLSRegressor().fit(X, pd.Series(["1900", "1900-1919", *["1920"] * (len(y) - 2)], name="built"))
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        SVIClassifier().fit(X, np.arange(len(y)) % 3)
    with pytest.raises(ValueError, match="X has 9 features, but SVIRegressor is expecting 10"):
        SVIRegressor(**FAST).fit(X.to_numpy(), y).predict(X.to_numpy()[:, 1:])
    with pytest.raises(ValueError, match="threshold must be a number from 0 to 1, not 3"):
        SVIRegressor(threshold=3).fit(X, y)
    with pytest.raises(ValueError, match="evidence must be one of auto, .*, not no such thing"):
        SVIRegressor(evidence="no such thing").fit(X, y)
    with pytest.raises(ValueError, match="requires y to be passed"):
        SVIRegressor().fit(X, None)
    with pytest.raises(ValueError, match="fdr|false discovery"):
        SVIRegressor(evidence=None, fdr=0.1).fit(X, y)
    with pytest.raises(ValueError, match="threshold must be a finite number"):
        SVIRegressor(threshold=np.nan).fit(X, y)
    with pytest.raises(TypeError, match="threshold can't be True"):
        SVIRegressor(threshold=True).fit(X, y)
    with pytest.raises(ValueError, match="max_iter must be a whole number"):
        SVIRegressor(max_iter=1.5).fit(X, y)
    with pytest.raises(ValueError, match="tol must be"):
        Balance(tol=-1).fit(X)
    with pytest.raises(ValueError, match="max_iter must be"):
        Balance(max_iter=0).fit(X)
    with pytest.raises(ValueError, match="max_iter must be"):
        DWR(max_iter=-1).fit(X)
    with pytest.raises(ValueError, match="weight_limit must be"):
        SRDO(weight_limit=0).fit(X)
    with pytest.raises(ValueError, match="random_state must not be negative"):
        SVIRegressor(random_state=-1).fit(X, y)
    with pytest.raises(ValueError, match='task must be "auto", "regression" or "classification"'):
        StableSelector(task="no such thing").fit(X, y)


def test_columns_that_the_model_does_not_use_may_be_anything(linear):
    X, y = linear
    X = X.assign(idle=np.resize(["p", "q"], len(X)))
    model = SVIRegressor(**FAST).fit(X, y)
    assert "v5" not in model.selected_ and "idle" not in model.selected_
    fewer = X.drop(columns=["v5", "idle"])
    # scikit-learn's checks want an error here: it says what to do.
    with pytest.raises(ValueError, match=r"yet now missing:\n- idle\n- v5\n.*none of the 2 that are missing.*reindex"):
        model.predict(fewer)
    filled = fewer.reindex(columns=model.feature_names_in_, fill_value=0)
    np.testing.assert_array_equal(model.predict(filled), model.predict(X))
    with pytest.raises(ValueError, match=r"- s1\n- v5\n$"):
        model.predict(X.drop(columns=["s1", "v5"]))
    # Weights are of all columns.
    with pytest.raises(ValueError, match=r"- idle\n- v5\n$"):
        model.weigh(fewer)
    # Of drift that can't be seen a finding tells.
    found = model.foresee(fewer)
    assert found.expected_error == model.foresee(X).expected_error and "v5" not in found.drift
    assert {name for finding in found.findings for name in finding["variables"]} >= {"v5", "idle"}
    # Order and other columns don't matter, as on the command line.
    for same in (fewer[fewer.columns[::-1]], fewer.assign(other=1.0)):
        assert model.foresee(same) == found
    with pytest.raises(ValueError, match="The feature names should match"):
        model.foresee(fewer.drop(columns="s1"))


DATES = {
    "naive": lambda times: times,
    "seconds": lambda times: times.astype("datetime64[s]"),
    "zone": lambda times: times.dt.tz_localize("UTC").dt.tz_convert("America/New_York"),
    "objects": lambda times: times.astype(object),
    "polars": lambda times: times,
    "pyarrow": lambda times: times.dt.tz_localize("UTC"),
}


def dated(rows=400):
    """A day that counts, another that does not, and a number."""
    random = np.random.default_rng(0)
    hours = random.integers(-1000, 9000, rows)
    frame = pd.DataFrame(
        {
            "a": random.normal(size=rows),
            "sold": pd.Timestamp("1970-01-10") + pd.to_timedelta(hours, unit="h"),
            "seen": pd.Timestamp("2015-01-01") + pd.to_timedelta(random.integers(0, 900, rows), unit="D"),
        }
    )
    return frame, (frame["a"] + 0.02 * hours / 24 + 0.3 * random.normal(size=rows)).rename("y")


@pytest.mark.parametrize("kind", DATES)
def test_dates_are_days_as_on_the_command_line(kind, command, tmp_path):
    frame, y = dated()
    given = frame.assign(sold=DATES[kind](frame["sold"]))
    if kind in ("polars", "pyarrow"):
        library = pytest.importorskip(kind)
        given = library.from_pandas(given) if kind == "polars" else library.Table.from_pandas(given)
    model = SVIRegressor(**FAST).fit(given, y)
    table, file = tmp_path / "dates.csv", tmp_path / "model.json"
    frame.assign(y=y).to_csv(table, index=False)
    command("fit", table, "--target", "y", "--evidence", "focused", "--model", file)
    other = stablevar.load(file)
    assert list(model.selected_) == list(other.selected_) == ["a", "sold"]
    np.testing.assert_array_equal(model.coef_, other.coef_)
    predicted = np.array(command("predict", file, table).split()[1:], dtype=float)
    # A model from the command line reads a frame's dates, too.
    for one in (model, other):
        np.testing.assert_allclose(one.predict(given), predicted, rtol=1e-12)
    days = (frame["sold"] - pd.Timestamp(0)) / pd.Timedelta(days=1)
    np.testing.assert_allclose(model.predict(given), model.predict(frame.assign(sold=days, seen=0.0)), rtol=1e-12)
    chosen = StableSelector(**FAST).fit(given, y).transform(given)
    np.testing.assert_allclose(chosen, np.column_stack([frame["a"], days]))


def test_a_model_of_a_frames_dates_reads_those_of_a_file(command, tmp_path):
    frame, y = dated()
    days = frame.assign(sold=frame["sold"].dt.floor("D"))
    model = SVIRegressor(**FAST).fit(days, y)
    file, table = tmp_path / "model.json", tmp_path / "new.csv"
    for one in (model, model.reselect(threshold=0.6)):
        one.save(file)
        # Without a notation eight digits are a number.
        for written in ("%Y-%m-%d", "%Y%m%d", "%Y-%m-%dT00:00:00"):
            days.assign(sold=days["sold"].dt.strftime(written)).to_csv(table, index=False)
            predicted = np.array(command("predict", file, table).split()[1:], dtype=float)
            np.testing.assert_allclose(predicted, one.predict(days), rtol=1e-12)


def test_dates_may_be_missing_and_go_with_text():
    frame, y = dated()
    frame = frame.assign(text=np.resize(["x", "y"], len(y)))
    y = y + 2 * (frame["text"] == "y")
    gaps = frame.copy()
    gaps.loc[::50, "sold"] = pd.NaT
    with pytest.raises(ValueError, match="column 'sold'. contains NaN. Hint"):
        SVIRegressor(**FAST).fit(gaps, y)
    model = SVIRegressor(**FAST, missing="mean").fit(gaps, y)
    assert np.isfinite(model.predict(gaps)).all() and "sold" in model.selected_
    whole = StableSelector(**FAST).fit(frame, y).transform(frame)
    assert list(whole.columns) == ["a", "sold", "text"] and whole["sold"].dtype == np.float64
    with pytest.raises(TypeError, match="holds Timedelta objects; numbers, booleans, dates or text"):
        SVIRegressor(**FAST).fit(frame.assign(sold=frame["sold"] - frame["seen"]), y)


def test_clones_copies_and_pickles(linear):
    X, y = linear
    model = SVIRegressor(**FAST, threshold=0.6).fit(X, y)
    assert clone(model).get_params() == model.get_params()
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), copy.copy(model)):
        np.testing.assert_array_equal(again.predict(X), model.predict(X))
        assert again.summary_ == model.summary_
    weights = Balance().fit(X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(weights)).weigh(X), weights.weigh(X))


def test_pipelines_and_searches(linear):
    from sklearn.experimental import enable_halving_search_cv  # noqa: F401
    from sklearn.model_selection import HalvingGridSearchCV

    X, y = linear
    pipeline = (
        make_pipeline(StableSelector(evidence="focused"), LinearRegression()).set_output(transform="pandas").fit(X, y)
    )
    assert list(pipeline[:-1].transform(X).columns) == ["s1", "s2", "s3", "s4", "s5"]
    polars = pytest.importorskip("polars")
    selector = StableSelector(evidence="focused").set_output(transform="polars").fit(X, y)
    assert isinstance(selector.transform(X), polars.DataFrame)
    grid = {"threshold": [0.5, 0.9]}
    for search in (
        GridSearchCV(SVIRegressor(**FAST), grid, cv=2),
        RandomizedSearchCV(SVIRegressor(**FAST), grid, n_iter=2, cv=2, random_state=0),
        HalvingGridSearchCV(SVIRegressor(**FAST), grid, cv=2),
    ):
        assert search.fit(X, y).best_score_ > 0.3


def test_sample_weight_is_routed(linear):
    import sklearn

    X, y = linear
    weights = np.random.default_rng(0).random(len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(
            StableSelector(evidence="focused").set_fit_request(sample_weight=True), LinearRegression()
        )
        pipeline[-1].set_fit_request(sample_weight=False)
        pipeline.fit(X, y, sample_weight=weights)
    direct = StableSelector(evidence="focused").fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(pipeline[0].open_probability_, direct.open_probability_)


def test_selection_of_text_columns_in_a_pipeline():
    frame, y = mixed()
    selector = StableSelector(evidence="focused").set_output(transform="pandas").fit(frame, y)
    assert list(selector.transform(frame).columns) == ["a", "text"]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_boosted_trees_after_the_selector_take_text(library):
    frame, y = mixed()
    new = frame.head(4).assign(text=["x", "y", "z", "never seen"])
    if library == "polars":
        polars = pytest.importorskip("polars")
        frame, new = polars.from_pandas(frame), polars.from_pandas(new)
    pipeline = make_pipeline(StableSelector(evidence="focused"), HistGradientBoostingRegressor(max_iter=30))
    assert pipeline.fit(frame, y).score(frame, y) > 0.8
    predicted = pipeline.predict(new)
    assert np.isfinite(predicted).all()
    chosen = pipeline[0].transform(new)
    assert list(chosen.columns) == ["a", "text"]
    assert list(chosen["text"].isna() if library == "pandas" else chosen["text"].is_null()) == [False] * 3 + [True]


def test_without_text_among_the_selected_the_selector_gives_numbers():
    frame, y = mixed()
    selector = StableSelector(evidence="focused", n_features_to_select=1).fit(frame, 5 * frame["a"] + 0.1 * y)
    chosen = selector.transform(frame)
    assert chosen.dtype == np.float64 and chosen.shape == (len(frame), 1)
    np.testing.assert_array_equal(chosen[:, 0], frame["a"])


def test_more_than_two_classes_are_told_what_does_it(linear):
    X, y = linear
    three = np.digitize(y, [-0.5, 0.5])
    with pytest.raises(
        ValueError, match=r"multiclass. Hint: y holds 3 classes; .*OneVsRestClassifier\(SVIClassifier\(\)\)"
    ):
        SVIClassifier().fit(X, three)
    with pytest.raises(ValueError, match="y holds 3 classes"):
        StableSelector().fit(X, np.array(["low", "middle", "high"])[three])
    frame = X.assign(text=np.where(X["s1"] > 0, "high", "low"))
    several = OneVsRestClassifier(SVIClassifier(**FAST)).fit(frame, three)
    assert several.predict_proba(frame).shape == (len(X), 3)
    assert np.mean(several.predict(frame) == three) > 0.6
    assert all("s3" in one.selected_ for one in (several.estimators_[0], several.estimators_[2]))


def test_real_data_have_their_types():
    try:
        houses, adults = load_king_county(), load_adult()
    except OSError as error:
        pytest.skip(str(error))
    assert houses.data["waterfront"].dtype == bool and houses.data["waterfront"].sum() == 163
    assert all(kind.kind in "fb" for kind in houses.data.dtypes)
    assert adults.data["age"].dtype == float and set(adults.target.unique()) == {"<=50K", ">50K"}


@pytest.mark.parametrize("reweighter", [Balance(), DWR(), SRDO(classifier="quadratic"), SRDO()], ids=lambda r: repr(r))
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_reweighters_decorrelate_and_weigh_new_rows(reweighter, linear):
    X, y = linear
    weights = reweighter.fit(X).weights_
    assert weights.mean() == pytest.approx(1) and (weights >= 0).all()
    assert reweighter.n_eff_ == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
    before, after = (np.abs(np.array(matrix)[:5, 9]).max() for matrix in reweighter.summary_["correlations"])
    assert after < 0.7 * before
    again = reweighter.weigh(X)
    assert again.shape == weights.shape and (again >= 0).all()
    assert np.corrcoef(again, weights)[0, 1] > 0.3
    if isinstance(reweighter, Balance):
        np.testing.assert_allclose(again, weights, rtol=1e-9, atol=1e-12)
    # With fewer pairs to balance more rows remain effective, at the same strength.
    if isinstance(reweighter, Balance):
        reweighter = Balance(ridge=1e-10).fit(X)
    kept = clone(reweighter).fit(X, stable=[1] * 5 + [0] * 5)
    assert kept.n_eff_ > reweighter.n_eff_
    with pytest.raises(ValueError, match="10 probabilities"):
        clone(reweighter).fit(X, stable=[1])


def test_random_state(linear):
    X, y = linear
    a, b = (SVIRegressor(random_state=seed).fit(X, y) for seed in (0, 1))
    # No draw decides about the evidence.
    assert a.evidence_.equals(b.evidence_) and a.sufficiency_ == b.sufficiency_
    assert a.sufficiency_["sufficient"]
    generator = np.random.RandomState(5)
    assert STGRegressor(random_state=generator).fit(X, y).converged_


def test_progress_and_interruption(linear, capsys):
    X, y = linear
    SVIRegressor(verbose=True).fit(X, y)
    assert "evidence 10/10" in capsys.readouterr().err
    assert SVIRegressor(**FAST).fit(X, y) and capsys.readouterr().err == ""


def test_ctrl_c_stops_a_long_fit():
    import signal
    import subprocess
    import sys
    import time

    program = (
        # A program that was started in the background may have been told to ignore it.
        "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from stablevar import NonlinearSVIRegressor as N\n"
        "from stablevar.datasets import make_biased_linear\n"
        "X, y = make_biased_linear(30_000, 2.0, random_state=0)\n"
        "print('ready', flush=True)\n"
        "N().fit(X, y)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(1)
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    try:
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert "KeyboardInterrupt" in errors and time.monotonic() - start < 30


@pytest.mark.filterwarnings("ignore")
def test_marks_of_missing_text_are_those_of_files(command, tmp_path):
    random = np.random.default_rng(3)
    frame = pd.DataFrame({"a": random.normal(size=300), "t": random.choice(["none", "one", "two"], 300)})
    frame["t"] = np.where(np.arange(300) % 25 == 3, np.resize(["NA", "n/a", "Null"], 300), frame["t"])
    y = pd.Series(frame["a"] + (frame["t"] == "none") + 0.2 * random.normal(size=300), name="y")
    model = SVIRegressor(**FAST, missing="mean").fit(frame, y)
    told = {found["code"]: found for found in model.summary_["findings"]}
    assert told["missing-marks"]["variables"] == ["t"] and "'NA' in 't'" in told["missing-marks"]["what"]
    # None of them is a level; a word that is one in texts is.
    assert {name for name in model.coefficients_.index if name.startswith("t=")} <= {"t=none", "t=one", "t=two"}
    table, file = tmp_path / "t.csv", tmp_path / "m.json"
    frame.assign(y=y).to_csv(table, index=False)
    command("fit", table, "--target", "y", "--missing", "mean", "--evidence", "focused", "--model", file)
    np.testing.assert_array_equal(stablevar.load(file).coef_, model.coef_)
