"""Makes what the core's tables of methods, settings and findings decide: Python classes and pages of the docs.

``python python/generate.py`` writes the files; with ``--check`` it fails if one of them is not what it would write.
"""

from __future__ import annotations

import argparse
import difflib
import importlib.util
import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import json_page

ROOT = Path(__file__).resolve().parents[1]


def compiled():
    """The compiled module, without the package, of which a part may not be made yet."""
    installed = importlib.util.find_spec("stablevar")
    places = [ROOT / "python" / "stablevar", *map(Path, installed.submodule_search_locations if installed else [])]
    path = next(found for place in places for found in place.glob("_core.*") if found.suffix in (".so", ".pyd"))
    spec = importlib.util.spec_from_file_location("_core", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CATALOGUE = json.loads(compiled().catalogue())
SETTINGS = {setting["name"]: setting for setting in CATALOGUE["settings"]}
PRESETS = {preset["name"]: preset for preset in CATALOGUE["presets"]}
NOTE = "Made by python/generate.py from the core's tables: change those, not this file."

#: Parameters of a reweighter by itself that scikit-learn's users know by other names.
ALONE = {"balance-steps": "max_iter", "balance-tolerance": "tol", "dwr-tolerance": "tol"}
#: What every estimator takes; the last is Python's own.
RUNNING = [name for name, setting in SETTINGS.items() if setting["applies_to"] == ["table"] and setting["python"]]
VERBOSE = ("verbose", "bool", "bool", "False", "Show a progress bar: on standard error, in notebooks below the cell.")
#: What selects variables without fitting a model of its own.
SELECTING = ["stable", "unstable"]
SELECTING += ["evidence", "evidence-rows", "threshold", "select", "fdr", "resamples", "least-frequency"]

EXAMPLES = {
    "SVIRegressor": """
        >>> from stablevar import SVIRegressor
        >>> from stablevar.datasets import make_biased_linear
        >>> X, y = make_biased_linear(n_samples=1000, r=2.5, random_state=0)
        >>> model = SVIRegressor().fit(X, y)
        >>> model.get_support(indices=True).tolist()
        [0, 1, 2, 3, 4]""",
    "SVIClassifier": """
        >>> from stablevar import SVIClassifier
        >>> from stablevar.datasets import make_biased_linear
        >>> X, y = make_biased_linear(n_samples=2000, r=2.5, random_state=0)
        >>> model = SVIClassifier().fit(X, y > 0)
        >>> model.predict_proba(X).shape
        (2000, 2)""",
    "NonlinearSVIRegressor": """
        >>> from stablevar import NonlinearSVIRegressor
        >>> from stablevar.datasets import make_biased_nonlinear
        >>> X, y = make_biased_nonlinear(n_samples=6000, r=2.0, random_state=0)
        >>> model = NonlinearSVIRegressor().fit(X, y)
        >>> model.get_support(indices=True).tolist()
        [0, 1, 2, 3, 4]""",
    "Balance": """
        >>> import numpy as np
        >>> from stablevar import Balance
        >>> from stablevar.datasets import make_biased_linear
        >>> X, y = make_biased_linear(n_samples=1000, r=2.5, random_state=0)
        >>> weights = Balance().fit(X).weights_
        >>> bool(abs(np.average(X[:, 0] * X[:, 9], weights=weights)) < 0.1)
        True""",
}

FITTED = {
    "selected_": ("ndarray of str", "Names of the selected variables."),
    "probability_": (
        "ndarray of shape (n_features_in_,)",
        "Probability of being stable; that of an open gate where there is no evidence. Also as ``open_probability_``.",
    ),
    "evidence_": (
        "DataFrame or None",
        "For each variable the probability, the effect given all others with its standard error and interval of "
        "95 %, t, p-value, effect size, how far repeats differ (spread), whether it is doubtful, and what could "
        'take its place (alternatives). As a dict: ``summary_["evidence"]``.',
    ),
    "sufficiency_": (
        "dict or None",
        "Whether the selected variables predict as well as all, in the training data: ``loss_selected``, ``loss_all``, "
        "``difference``, ``standard_error``, ``sufficient``.",
    ),
    "told_": ("dict of str to str", 'Columns that were told to be "stable" or "unstable".'),
    "environments_": (
        "dict or None",
        "With ``env``: the slopes of the selected variables in every environment (``effects``), and a test whether "
        "they differ.",
    ),
    "coef_": (
        "ndarray",
        "Coefficients in the units of the data, 0 for variables left out: one per feature, for a text column one per "
        "encoded level. ``coef_names_`` names them. Not for networks and trees.",
    ),
    "coef_names_": ("list of str", "The encoded columns that ``coef_`` is for."),
    "coefficients_": (
        "DataFrame",
        "Coefficients of the selected variables by encoded column, with standard errors and intervals of 95 %; of "
        'networks and trees mean slopes. As a dict: ``summary_["coefficients"]``.',
    ),
    "influence_": (
        "dict or None",
        "What matters to boosted trees: by encoded column how much predictions change (root mean square) if its "
        "values are dealt out anew among the rows. For other models None.",
    ),
    "intercept_": ("float or ndarray", "The constant. Not for networks and trees."),
    "weights_": ("ndarray of shape (n_samples,)", "The rows' weights, mean 1."),
    "n_eff_": ("float", "Effective sample size of the weights."),
    "history_": ("list of dict", "Every loop."),
    "n_iter_": ("int", "Loops taken."),
    "converged_": ("bool", "Whether every part converged."),
    "findings_": ("list of dict", "What to watch out for: code, variables, figures and words."),
    "summary_": ("dict", "All of it, with the keys of the command line's ``--format json``."),
    "n_features_in_": ("int", "Number of features."),
    "feature_names_in_": ("ndarray of str", "Their names, where X had any."),
}
WEIGHED = {
    "weights_": ("ndarray of shape (n_samples,)", "One per row, mean 1."),
    "n_eff_": ("float", "Effective sample size."),
    "converged_": ("bool", "Whether the search converged."),
    "n_iter_": ("int", "Passes over the rows."),
    "findings_": ("list of dict", "What to watch out for."),
    "summary_": ("dict", "Correlations before and after, the largest one left, and more."),
    "n_features_in_": ("int", "Number of features."),
    "feature_names_in_": ("ndarray of str", "Their names, where X had any."),
}


def literal(value):
    """A default as Python writes it."""
    if isinstance(value, list):
        return repr(tuple(value))
    if isinstance(value, int) and not isinstance(value, bool) and value >= 10_000:
        return f"{value:_}"
    return json.dumps(value) if isinstance(value, str) else repr(value)


def parameter(name, default, python=None):
    """A setting as a parameter: name, type for checkers, type for people, default, description."""
    setting = SETTINGS[name]
    kind, choices = setting["value"]["kind"], [choice for choice, _ in setting["value"].get("choices", [])]
    python = python or setting["python"]
    if name == "seed":
        annotation, shown = "RandomState", "int, RandomState instance or None"
    elif kind == "choice":
        named = [choice for choice in choices if choice != "none"]
        annotation = f"Literal[{', '.join(json.dumps(choice) for choice in named)}]"
        shown = "{" + ", ".join(json.dumps(choice) for choice in named) + "}"
    elif kind == "number":
        annotation, shown = "float", f"float in {setting['value']['range']}"
    elif kind == "count":
        annotation, shown = "int", f"int in {setting['value']['range']}"
    elif kind == "counts":
        annotation, shown = "int | Sequence[int]", f"int or sequence of int in {setting['value']['range']}"
    elif kind == "columns":
        annotation, shown = "Columns", "str, int or sequence of these"
    else:
        raise ValueError(f"{name}: a {kind} is no parameter")
    text = [f"{setting['help']}."]
    if kind == "columns":
        text = [f"{setting['help'].replace('A column', 'Columns, by their names or positions,', 1)}."]
    meanings = [(choice, meaning) for choice, meaning in setting["value"].get("choices", []) if choice != "none"]
    text += [f'"{choice}": {meaning}.' for choice, meaning in meanings]
    if "none" in choices or setting["auto"]:
        annotation, shown = f"{annotation} | None", f"{shown} or None"
        meaning = setting["auto"] or dict(setting["value"]["choices"])["none"]
        text.append(f"``None``: {meaning}.")
        default = None if default == "none" else default
    if setting["instead_of"]:
        others = [SETTINGS[other]["python"] for other in setting["instead_of"]]
        text.append(f"Takes the place of {' and '.join(f'``{other}``' for other in others)}.")
    return python, annotation, shown, literal(default), " ".join(text)


def wrapped(text, indent):
    return textwrap.indent(textwrap.fill(text, 116 - len(indent), break_long_words=False), indent)


def entries(rows):
    return "\n".join(f"    {name} : {shown}\n{wrapped(text, ' ' * 8)}" for name, shown, text in rows)


def class_text(name, bases, summary, parameters, attributes, extra, body=""):
    """A class with its docstring and its constructor."""
    documented = [(python, f"{shown}, default={default}", text) for python, _, shown, default, text in parameters]
    doc = f'    """{wrapped(summary, "    ").strip()}\n\n    Parameters\n    ----------\n{entries(documented)}\n'
    if attributes:
        rows = [(attribute, kind, text) for attribute, (kind, text) in attributes.items()]
        doc += f"\n    Attributes\n    ----------\n{entries(rows)}\n"
    if name in EXAMPLES:
        example = textwrap.indent(textwrap.dedent(EXAMPLES[name]).strip(), "    ")
        doc += f"\n    Examples\n    --------\n{example}\n"
    doc += '    """\n'
    signature = "\n".join(f"        {python}: {kind} = {default}," for python, kind, _, default, _ in parameters)
    assigned = body or "\n".join(f"        self.{python} = {python}" for python, *_ in parameters)
    fields = "".join(f"    {field}\n" for field in extra)
    return (
        f"class {name}({', '.join(bases)}):\n{doc}\n{fields}\n"
        f"    def __init__(\n        self,\n        *,\n{signature}\n    ) -> None:\n{assigned}\n"
    )


def fields(core, named):
    """What a class knows of the core: its name there, and what each parameter is called there."""
    none = [name for name in named.values() if "none" in dict(SETTINGS[name]["value"].get("choices", []))]
    return [
        f"_core_name = {core!r}",
        f"_parameters: ClassVar[dict[str, str]] = {named!r}",
        f"_none_is_a_choice: ClassVar[tuple[str, ...]] = {tuple(none)!r}",
    ]


def of_preset(preset):
    """Core's names of the settings that a preset's classes take, with their parameters."""
    names = [name for name in preset["parameters"] if name not in RUNNING] + RUNNING
    return {name: parameter(name, SETTINGS[name]["defaults"][preset["name"]]) for name in names}


def estimators():
    """The classes of every method."""
    classes, names = [], []
    for preset in CATALOGUE["presets"]:
        taken = of_preset(preset)
        known = {parameters[0]: name for name, parameters in taken.items()}
        for task in preset["tasks"]:
            name = preset["python"] + {"regression": "Regressor", "classification": "Classifier"}[task]
            attributes = dict(FITTED)
            if task == "classification":
                attributes["classes_"] = ("ndarray of shape (2,)", "The two classes.")
            mixin = {"regression": "Regression", "classification": "Classification"}[task]
            summary = f"{preset['summary']}; for {'numbers' if task == 'regression' else 'two classes'}."
            extra = fields(preset["name"], known)
            parameters = [*taken.values(), VERBOSE]
            classes.append(class_text(name, [mixin, "StableModel"], summary, parameters, attributes, extra))
            names.append(name)
    head = f'''"""Every method as an estimator. {NOTE}"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from ._base import Columns, RandomState, StableModel
from ._tasks import Classification, Regression

__all__ = {json.dumps(sorted(names))}
'''
    return head + "\n\n" + "\n\n".join(classes)


def reweighters():
    """The classes of every reweighter."""
    classes, names = [], []
    for known in CATALOGUE["reweighters"]:
        name = {"balance": "Balance"}.get(known["name"], known["name"].upper())
        defaults = {own["name"]: own["default"] for own in known["parameters"]}
        taken = {own: parameter(own, default, ALONE.get(own)) for own, default in defaults.items()}
        taken.update({own: parameter(own, SETTINGS[own]["defaults"]["dwr"]) for own in RUNNING})
        parameters = {made[0]: own for own, made in taken.items()}
        summary = f"Weights under which columns no longer go together: {known['summary']}."
        extra = fields(known["name"], parameters)
        classes.append(class_text(name, ["Reweighting"], summary, list(taken.values()), WEIGHED, extra))
        names.append(name)
    head = f'''"""Weights for a model of your own. {NOTE}"""

from __future__ import annotations

from typing import ClassVar, Literal

from ._base import RandomState
from ._weighing import Reweighting

__all__ = {json.dumps(sorted(names))}
'''
    return head + "\n\n" + "\n\n".join(classes)


def selector():
    """The parameters of the selector: those that choose variables."""
    taken = {name: parameter(name, SETTINGS[name]["defaults"]["svi"]) for name in [*SELECTING, *RUNNING]}
    own = [
        (
            "task",
            'Literal["auto", "regression", "classification"]',
            '{"auto", "regression", "classification"}',
            '"auto"',
            'What y is; "auto" takes two distinct values for classes.',
        ),
        (
            "nonlinear",
            "bool",
            "bool",
            "False",
            "Judge by networks, which see effects of any shape and want some thousand rows.",
        ),
    ]
    text = class_text(
        "SelectorParameters",
        ["BaseEstimator"],
        "The parameters of StableSelector.",
        [*own, *taken.values(), VERBOSE],
        {},
        [f"_passed_on: ClassVar[tuple[str, ...]] = {tuple(made[0] for made in [*taken.values(), VERBOSE])!r}"],
    )
    return (
        f'''"""The parameters of the selector. {NOTE}"""

from __future__ import annotations

from typing import ClassVar, Literal

from sklearn.base import BaseEstimator

from ._base import Columns, RandomState


'''
        + text
    )


def on_dask():
    """The estimators on Dask: the parameters of those in memory, and a client."""
    client = ("client", "Any", "distributed.Client or None", "None", "The cluster; ``None`` is the current client.")
    weights = {
        "client_": ("distributed.Client", "The client used."),
        "weights_": ("dask array or series of shape (n_samples,)", "One per row, mean 1; lazy."),
    }
    balance = next(known for known in CATALOGUE["reweighters"] if known["name"] == "balance")
    alone = [parameter(own["name"], own["default"], ALONE.get(own["name"])) for own in balance["parameters"]]
    running = [parameter(own, SETTINGS[own]["defaults"]["dwr"]) for own in RUNNING]
    svi = [*of_preset(PRESETS["svi"]).values(), VERBOSE]
    classes = []
    for name, mixin, local, what, parameters in [
        ("DaskSVIRegressor", "OnDaskSVI", "SVIRegressor", "Stable variables and a regression on them", svi),
        ("DaskSVIClassifier", "OnDaskClassifier", "SVIClassifier", "Stable variables and a classifier on them", svi),
        ("DaskBalance", "OnDaskBalance", "Balance", "Weights under which columns do not correlate", alone + running),
    ]:
        passed = "\n".join(f"            {python}={python}," for python, *_ in parameters)
        body = f"        super().__init__(\n{passed}\n        )\n        self.client = client"
        summary = (
            f"{what}, on a Dask cluster: of arrays and data frames of which a partition holds whole rows. "
            f"Predictions and weights are lazy; other attributes are those of :class:`~stablevar.{local}`."
        )
        classes.append(class_text(name, [mixin, local], summary, [*parameters, client], weights, [], body))
    head = f'''"""Estimators on Dask collections. {NOTE}"""

from __future__ import annotations

from typing import Any, Literal

from .._base import Columns, RandomState
from ..estimators import SVIClassifier, SVIRegressor
from ..reweighters import Balance
from ._estimators import OnDaskBalance, OnDaskClassifier, OnDaskSVI
'''
    return head + "\n\n" + "\n\n".join(classes)


def cell(text):
    return re.sub(r"\s+", " ", str(text)).replace("|", "\\|")


def shown_default(setting, value):
    if value is None or value == []:
        return setting["auto"] or "none"
    return "`" + (",".join(map(str, value)) if isinstance(value, list) else str(value)) + "`"


def options_page():
    """Every setting by its heading, for the shell, Python and Rust."""
    lines = [
        "# Settings",
        "",
        f"<!-- {NOTE} -->",
        "",
        "One table for all: `--name` in the shell, the name in the second column in Python, in Rust",
        '`Estimator::set("name", value)`. A setting has an effect where the method has the stage it applies to; where',
        "it has none, a finding says so.",
        "",
        "## Methods",
        "",
        "| name | what it does | predicts | Python | stages |",
        "|---|---|---|---|---|",
    ]
    for preset in CATALOGUE["presets"]:
        kinds = {"regression": "Regressor", "classification": "Classifier"}
        classes = ", ".join(f"`{preset['python']}{kinds[task]}`" for task in preset["tasks"])
        predicts = ", ".join({"regression": "numbers", "classification": "classes"}[task] for task in preset["tasks"])
        stages = ", ".join(stage for stage in preset["stages"] if stage not in ("table", "refit", "weigh", "gates"))
        lines.append(f"| `{preset['name']}` | {cell(preset['summary'])} | {predicts} | {classes} | {stages} |")
    for group in dict.fromkeys(setting["group"] for setting in CATALOGUE["settings"]):
        lines += ["", f"## {group}", "", "| name | Python | what for | values | default | applies to |"]
        lines.append("|---|---|---|---|---|---|")
        for setting in CATALOGUE["settings"]:
            if setting["group"] != group:
                continue
            value = setting["value"]
            values = value.get("range", value["kind"])
            if value["kind"] == "choice":
                values = "; ".join(f"`{choice}`: {meaning}" for choice, meaning in value["choices"])
            by_value: dict[str, list[str]] = {}
            for name, default in setting["defaults"].items():
                by_value.setdefault(shown_default(setting, default), []).append(name)
            defaults = [
                default if k == 0 else f"{default} ({', '.join(names)})"
                for k, (default, names) in enumerate(by_value.items())
            ]
            python = f"`{setting['python']}`" if setting["python"] else setting["instead"]
            before = f" (once `--{'`, `--'.join(setting['old_names'])}`)" if setting["old_names"] else ""
            applies = ", ".join(setting["applies_to"])
            row = [f"`{setting['name']}`{before}", python, setting["help"], values, "; ".join(defaults), applies]
            lines.append("| " + " | ".join(cell(entry) for entry in row) + " |")
    return "\n".join(lines) + "\n"


def findings_page():
    """Every finding by its code."""
    lines = [
        "# Findings",
        "",
        f"<!-- {NOTE} -->",
        "",
        "What a fit tells you to watch out for, by its code. The result stands; a finding says how far. In the shell",
        "they are warnings, with `--format json` the list `findings`; a Python `fit` raises each as a",
        "`stablevar.FindingWarning` (not converging as scikit-learn's `ConvergenceWarning`) and keeps them in",
        "`findings_`; in Rust they are `model.warnings`. `{name}` stands for a variable (by its position) or a figure.",
    ]
    for finding in CATALOGUE["findings"]:
        lines += ["", f"## {finding['code']}", "", f"{finding['what']}: {finding['meaning']}."]
        if finding["shell"]:
            remedies = {"in the shell": finding["shell"], "in Python": finding["python"]}
            if len(set(remedies.values())) == 1:
                remedies = {"what to do": finding["shell"]}
            lines += ["", *(f"- {where}: {remedy.rstrip('.')}." for where, remedy in remedies.items())]
    # In angle brackets a page would hide them.
    return re.sub(r"<(\w+)>", r"{\1}", "\n".join(lines)) + "\n"


FILES = {
    "python/stablevar/estimators.py": estimators,
    "python/stablevar/reweighters.py": reweighters,
    "python/stablevar/_selector_parameters.py": selector,
    "python/stablevar/dask/_classes.py": on_dask,
    "docs/settings.md": options_page,
    "docs/findings.md": findings_page,
    "docs/json.md": json_page.page,
}


def formatted(path, text):
    """As the project's formatter leaves it."""
    if not path.endswith(".py"):
        return text
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", path, "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True, cwd=ROOT).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail if a file is not what it would be")
    check = parser.parse_args().check
    stale = []
    for path, make in FILES.items():
        text, file = formatted(path, make()), ROOT / path
        known = file.read_text() if file.exists() else ""
        if text == known:
            continue
        stale.append(path)
        if check:
            changes = difflib.unified_diff(known.splitlines(True), text.splitlines(True), path, "made anew")
            print("".join(list(changes)[:20]))
        else:
            file.write_text(text)
    if check and stale:
        sys.exit(f"not what the core's tables say: {', '.join(stale)}. Run `make generate`.")


if __name__ == "__main__":
    main()
