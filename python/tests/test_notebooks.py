"""The notebooks run as they stand and hold no outputs; `make lint` checks the types of their code."""

import json
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def test_there_is_one_for_every_question():
    assert [path.stem[3:] for path in NOTEBOOKS] == [
        "first_steps",
        "which_columns_can_i_trust",
        "weights_for_your_own_model",
        "classification",
        "larger_than_memory",
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_they_hold_no_outputs(path):
    cells = json.loads(path.read_text())["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code and all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)


@pytest.fixture
def execute(monkeypatch, tmp_path):
    """Runs a notebook with the package that is tested."""
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    # Threads of several libraries that wait for each other on few cores take minutes.
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(os.path.abspath(entry) for entry in sys.path if entry))
    settings = {"timeout": 120, "resources": {"metadata": {"path": str(tmp_path)}}}
    return lambda notebook: nbclient.NotebookClient(notebook, **settings).execute()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_they_run(path, execute):
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("matplotlib")
    if "memory" in path.stem:
        pytest.importorskip("distributed")
    notebook = nbformat.read(path, as_version=4)
    execute(notebook)
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("text/html" in output.get("data", {}) for output in shown), "a summary or a data frame"
    # Findings are silenced, since the summary tells them: what else is on standard error would puzzle a reader.
    assert not [output["text"] for output in shown if output.get("name") == "stderr"]


def test_progress_is_shown_below_the_cell(execute):
    nbformat = pytest.importorskip("nbformat")
    code = (
        "from stablevar import SVIRegressor\n"
        "from stablevar.datasets import make_biased_linear\n"
        "SVIRegressor(verbose=True).fit(*make_biased_linear(300, random_state=0)).summary()\n"
    )
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    execute(notebook)
    bars = [
        output["data"]
        for output in notebook.cells[0].outputs
        if "<progress" in output.get("data", {}).get("text/html", "")
    ]
    assert (
        len(bars) == 1 and 'value="10" max="10"' in bars[0]["text/html"] and "evidence 10/10" in bars[0]["text/plain"]
    )
