"""Estimators on a Dask cluster of three worker processes on this machine."""

import json
import os
import pickle
import signal
import threading
import time

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from stablevar import Balance, FindingWarning, SVIClassifier, SVIRegressor

dask = pytest.importorskip("dask", reason="Dask is not installed")
distributed = pytest.importorskip("distributed", reason="Dask's distributed scheduler is not installed")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")

from stablevar.dask import DaskBalance, DaskSVIClassifier, DaskSVIRegressor, _Rows  # noqa: E402


@pytest.fixture(scope="module")
def client():
    settings = {"n_workers": 3, "threads_per_worker": 1, "processes": True, "host": "127.0.0.1"}
    cluster = distributed.LocalCluster(dashboard_address="127.0.0.1:0", **settings)
    with cluster, distributed.Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def table(linear):
    """Numbers, a text whose last level stands in the last rows only, flags, and an exact copy of a column."""
    X, y = linear
    X, y = X.iloc[:800, [0, 1, 2, 3, 4, 9]].copy(), y.iloc[:800]
    X["word"] = np.where(X.iloc[:, 1] > 0.5, "high", np.where(X.iloc[:, 2] > 0, "middle", "low"))
    X.loc[X.index[-12:], "word"] = "late"
    X["flag"] = X.iloc[:, 3] > 0.2
    X["copy"] = 3.0 - 2.0 * X.iloc[:, 0]
    return X.reset_index(drop=True), y.reset_index(drop=True)


@pytest.fixture(scope="module")
def local(table):
    return SVIRegressor().fit(*table)


def largest(model):
    """Rows and weights of the largest weights."""
    return json.loads(model._model.to_json())["model"]["diagnostics"]["weights"]["largest"]


def parts(values, count):
    """A Dask collection of `count` partitions."""
    made = dd.from_pandas(values, npartitions=count)
    assert made.npartitions == count
    return made


@pytest.mark.parametrize("missing", ["drop", "mean"])
def test_missing_values_are_treated_as_in_memory(client, table, missing):
    X, y = table
    X = X.drop(columns="copy").astype({"flag": "boolean", "word": object})
    X.loc[::50, "s1"] = np.nan
    X.loc[7::50, "word"] = None
    X.loc[9::50, "flag"] = pd.NA
    here = SVIRegressor(evidence="focused", missing=missing).fit(X, y)
    there = DaskSVIRegressor(evidence="focused", missing=missing).fit(parts(X, 3), parts(y, 3))
    assert list(there.selected_) == list(here.selected_)
    np.testing.assert_allclose(there.coef_, here.coef_, atol=1e-9)
    np.testing.assert_allclose(there.weights_.compute(), here.weights_, atol=1e-9)
    with pytest.raises(ValueError, match="missing values"):
        DaskSVIRegressor(evidence="focused").fit(parts(X, 3), parts(y, 3))


def test_columns_of_one_file_go_together(client, table, tmp_path):
    # Dask reads small columns of several files as one partition.
    X, y = table
    X.drop(columns="copy").assign(y=y).to_parquet(tmp_path / "one.parquet")
    for name in ("two", "three", "four"):
        (tmp_path / f"{name}.parquet").write_bytes((tmp_path / "one.parquet").read_bytes())
    rows = dd.read_parquet(tmp_path)
    model = DaskSVIRegressor(evidence=None, max_iter=2).fit(rows.drop(columns="y"), rows["y"])
    assert model.summary_["n"] == 4 * len(X)


@pytest.mark.parametrize("count", [1, 3, 17])
def test_the_answer_is_that_of_rows_in_memory_for_any_partitions(client, table, local, count):
    (X, y), here = table, local
    there = DaskSVIRegressor().fit(parts(X, count), parts(y, count))
    assert list(there.selected_) == list(here.selected_)
    assert there.client_ is client
    np.testing.assert_allclose(there.coefficients_["coefficient"], here.coefficients_["coefficient"], atol=1e-9)
    np.testing.assert_allclose(there.n_eff_, here.n_eff_, rtol=1e-9)
    np.testing.assert_allclose(there.evidence_["p_value"], here.evidence_["p_value"], atol=1e-9)
    np.testing.assert_allclose(there.weights_.compute(), here.weights_, atol=1e-9)
    assert there.summary_["warnings"] == here.summary_["warnings"]
    predicted = there.predict(parts(X, 5))
    assert isinstance(predicted, dd.Series)
    np.testing.assert_allclose(predicted.compute(), here.predict(X), atol=1e-9)
    again = there.to_local()
    assert type(again) is SVIRegressor
    np.testing.assert_allclose(again.predict(X), here.predict(X), atol=1e-9)


@pytest.mark.parametrize("rows", [1500, 89])
def test_arrays_and_the_papers_algorithm(client, linear, rows):
    X, y = (np.asarray(values) for values in linear)
    sample_weight = np.arange(len(y)) % 4 / 2
    here = SVIRegressor(evidence=None, max_iter=2).fit(X, y, sample_weight=sample_weight)
    there = DaskSVIRegressor(evidence=None, max_iter=2, client=client)
    # Columns may be in several chunks, and y in others than X.
    there.fit(
        da.from_array(X, chunks=(rows, 4)),
        da.from_array(y, chunks=700),
        sample_weight=da.from_array(sample_weight, chunks=rows),
    )
    np.testing.assert_allclose(there.coef_, here.coef_, atol=1e-9)
    np.testing.assert_allclose(there.weights_.compute(), here.weights_, atol=1e-9)
    # The rows with the largest weights are named by their position, also behind rows without weight.
    named, known = largest(there), largest(here)
    assert [row for row, _ in named] == [row for row, _ in known]
    np.testing.assert_allclose([weight for _, weight in named], [weight for _, weight in known], atol=1e-9)
    assert isinstance(there.predict(da.from_array(X, chunks=(100, 10))), da.Array)
    np.testing.assert_allclose(there.predict(da.from_array(X, chunks=(100, 3))).compute(), here.predict(X), atol=1e-9)


def test_classes(client, table):
    X, y = table
    labels = pd.Series(np.where(y > y.median(), "yes", "no"), name="sold")
    here = SVIClassifier(evidence=None, max_iter=1).fit(X, labels)
    there = DaskSVIClassifier(evidence=None, max_iter=1).fit(parts(X, 3), parts(labels, 3))
    assert list(there.classes_) == ["no", "yes"]
    np.testing.assert_allclose(there.coef_, here.coef_, atol=1e-9)
    np.testing.assert_array_equal(there.predict(parts(X, 4)).compute(), here.predict(X))
    np.testing.assert_allclose(there.predict_proba(parts(X, 4)).compute(), here.predict_proba(X), atol=1e-9)
    with pytest.raises(ValueError, match="3 classes"):
        DaskSVIClassifier().fit(parts(X, 3), parts(pd.Series(np.arange(len(y)) % 3), 3))


def test_weights_alone(client, linear):
    X = np.asarray(linear[0])
    here, there = Balance().fit(X), DaskBalance().fit(da.from_array(X, chunks=(400, 10)))
    np.testing.assert_allclose(there.weights_.compute(), here.weights_, atol=1e-9)
    np.testing.assert_allclose(there.to_local().weigh(X), here.weights_, atol=1e-9)
    assert there.converged_ and there.n_eff_ == pytest.approx(here.n_eff_, rel=1e-9)


def test_weights_without_a_function_are_said_to_be_so(client, linear):
    rows = da.from_array(np.asarray(linear[0]), chunks=(500, 10))
    model = DaskBalance().fit(rows)
    model._function = None
    with pytest.raises(ValueError, match="This DaskBalance has weights of the training rows only"):
        model.weigh(rows)
    with pytest.raises(ValueError, match="tol must be"):
        DaskBalance(tol=-1).fit(rows)


def test_a_balance_that_is_not_feasible_is_as_in_memory(client):
    X = np.random.default_rng(0).normal(size=(40, 31))
    here, there = Balance().fit(X), DaskBalance().fit(da.from_array(X, chunks=(20, 31)))
    np.testing.assert_allclose(there.weights_.compute(), here.weights_, atol=1e-9)
    assert there.summary_["why"] == here.summary_["why"]


def test_told_columns_are_as_in_memory(client, linear):
    X, y = linear
    told = {"stable": "v1", "unstable": [0], "evidence": None, "max_iter": 1}
    here = SVIRegressor(**told).fit(X, y)
    there = DaskSVIRegressor(**told).fit(parts(X, 3), parts(y, 3))
    assert "v1" in there.selected_ and "s1" not in there.selected_
    assert there.selected_.tolist() == here.selected_.tolist() and there.told_ == here.told_
    with pytest.raises(ValueError, match="no column 'vv1'"):
        DaskSVIRegressor(stable="vv1").fit(parts(X, 3), parts(y, 3))


def test_findings_are_told(client, table):
    X, y = table
    with pytest.warns(FindingWarning, match="'copy' is left out") as record:
        model = DaskSVIRegressor(evidence=None, max_iter=1).fit(parts(X, 3), parts(y, 3))
    assert record[0].filename == __file__
    assert "repeated-column" in [found["code"] for found in model.findings_]


def test_empty_partitions_change_nothing(client, table):
    X, y = table
    cuts = [0, 0, 700, 700, len(X)]
    delayed = [dask.delayed(X.iloc[a:b]) for a, b in zip(cuts, cuts[1:])]
    outcomes = [dask.delayed(y.iloc[a:b]) for a, b in zip(cuts, cuts[1:])]
    there = DaskSVIRegressor(evidence=None, max_iter=1).fit(
        dd.from_delayed(delayed, meta=X.iloc[:0]), dd.from_delayed(outcomes, meta=y.iloc[:0])
    )
    here = SVIRegressor(evidence=None, max_iter=1).fit(X, y)
    np.testing.assert_allclose(there.coefficients_["coefficient"], here.coefficients_["coefficient"], atol=1e-9)


@pytest.fixture(scope="module")
def many(linear):
    """Rows of fifteen blocks, and the fit in memory."""
    X, y = (np.asarray(values) for values in linear)
    X = np.tile(X, (40, 1)) * (1 + 1e-3 * np.arange(40 * len(X))[:, None] / len(X))
    y = np.tile(y, 40)
    return X, y, SVIRegressor(evidence=None, max_iter=1).fit(X, y)


def test_a_worker_killed_in_the_middle_costs_time_and_not_the_answer(client, many, monkeypatch):
    X, y, here = many
    passes, victims = [], []
    run = _Rows.run

    def run_and_kill(rows, what):
        passes.append(what)
        if len(passes) == 8:
            # The worker that holds most of the blocks.
            held = client.has_what()
            address = max(held, key=lambda worker: len(held[worker]))
            victims.append(client.run(os.getpid, workers=[address])[address])
            os.kill(victims[0], signal.SIGKILL)
        return run(rows, what)

    monkeypatch.setattr(_Rows, "run", run_and_kill)
    there = DaskSVIRegressor(evidence=None, max_iter=1).fit(
        da.from_array(X, chunks=(3530, 10)), da.from_array(y, chunks=3530)
    )
    assert victims and len(passes) > 15
    np.testing.assert_allclose(there.coef_, here.coef_, atol=1e-9)
    np.testing.assert_allclose(there.n_eff_, here.n_eff_, rtol=1e-9)
    client.wait_for_workers(3)
    assert victims[0] not in client.run(os.getpid).values()


def test_workers_hold_their_rows_and_nothing_afterwards(client, many):
    X, y, here = many
    columns, outcome = da.from_array(X, chunks=(7000, 10)), da.from_array(y, chunks=7000)
    held = []
    stop = threading.Event()

    def watch():
        while not stop.wait(0.05):
            workers = client.scheduler_info(n_workers=-1)["workers"].values()
            held.append(max(worker["metrics"].get("managed_bytes", 0) for worker in workers))

    watcher = threading.Thread(target=watch)
    watcher.start()
    model = DaskSVIRegressor(evidence=None, max_iter=1).fit(columns, outcome)
    stop.set()
    watcher.join()
    np.testing.assert_allclose(model.weights_.compute(), here.weights_, atol=1e-9)
    # While blocks are cut, rows are held as they came, encoded and cut; one worker may have most of them.
    assert max(held) <= 3 * X.nbytes
    del model
    deadline = time.time() + 10
    while time.time() < deadline and any(client.has_what().values()):
        time.sleep(0.1)
    assert not any(client.has_what().values())


def test_an_interrupted_fit_leaves_nothing_on_the_workers(client, many, monkeypatch):
    X, y, _ = many
    passes = []
    run = _Rows.run

    def run_and_stop(rows, what):
        passes.append(what)
        if len(passes) == 5:
            raise KeyboardInterrupt
        return run(rows, what)

    monkeypatch.setattr(_Rows, "run", run_and_stop)
    with pytest.raises(KeyboardInterrupt):
        DaskSVIRegressor(evidence=None).fit(da.from_array(X, chunks=(7000, 10)), da.from_array(y, chunks=7000))
    assert len(passes) == 5
    deadline = time.time() + 10
    while time.time() < deadline and any(client.has_what().values()):
        time.sleep(0.1)
    assert not any(client.has_what().values())


def test_faults_are_told_on_the_client(client, table):
    X, y = table
    wrong = X.copy()
    wrong.iloc[500, 2] = np.inf
    with pytest.raises(ValueError, match="partition 2.*infinity"):
        DaskSVIRegressor().fit(parts(wrong, 4), parts(y, 4))
    with pytest.raises(ValueError, match="y has 2 partitions and X has 3"):
        DaskSVIRegressor().fit(parts(X, 3), parts(y, 2))
    with pytest.raises(TypeError, match="must be a Dask array"):
        DaskSVIRegressor().fit(X, y)
    with pytest.raises(ValueError, match="takes no env.*SVIRegressor"):
        DaskSVIRegressor().fit(parts(X, 3), parts(y, 3), env=parts(y, 3))
    with pytest.raises(ValueError, match="resamples needs all rows in memory"):
        DaskSVIRegressor(evidence=None, resamples=4).fit(parts(X, 3), parts(y, 3))
    model = DaskSVIRegressor(evidence=None, max_iter=1).fit(parts(X, 3), parts(y, 3))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(parts(X[X.columns[::-1]], 2))


def test_parameters_and_pickles(client, table):
    X, y = table
    model = DaskSVIRegressor(client=client, max_iter=1, evidence=None)
    again = clone(model)
    assert again.client is client and again.get_params()["max_iter"] == 1
    assert set(model.get_params()) == {*SVIRegressor().get_params(), "client"}
    with pytest.raises(TypeError):
        DaskSVIRegressor(no_such_parameter=1)
    with pytest.raises(ValueError, match="max_iter"):
        DaskSVIRegressor(max_iter=0).fit(parts(X, 2), parts(y, 2))
    model.fit(parts(X, 2), parts(y, 2))
    restored = pickle.loads(pickle.dumps(model))
    assert restored.client is None
    np.testing.assert_array_equal(restored.predict(parts(X, 2)).compute(), model.predict(parts(X, 2)).compute())
