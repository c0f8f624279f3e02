"""Model files and report pages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._measures import errors_by_environment
from ._settings import Path, Rows, Values, check_together

#: The class of an estimator, which `load` returns.
Loaded = TypeVar("Loaded", bound="Stored")


class Stored:
    """A fitted model that is written to files and read from them."""

    #: The classes of the methods, by their name in the core and whether they classify.
    _classes: ClassVar[dict[tuple[str, bool], type[Any]]] = {}

    _model: _core.Model
    _parameters: ClassVar[dict[str, str]]
    _none_is_a_choice: ClassVar[tuple[str, ...]]

    def save(self, path: Path) -> None:
        """Write a model file, which the ``stablevar`` command reads too.

        It keeps some training rows with their outcomes, from which errors elsewhere are foreseen: ``remember=0`` keeps
        none.

        Parameters
        ----------
        path : str or path-like
            Where to.
        """
        check_is_fitted(self)
        self._model.save(path)

    @classmethod
    def load(cls: type[Loaded], path: Path) -> Loaded:
        """Read a model file, of :meth:`save` or of the ``stablevar`` command.

        Parameters
        ----------
        path : str or path-like
            Where from.

        Returns
        -------
        estimator : object
            Fitted, of the class and with the parameters of the model's method. Its ``weights_`` are None: model files
            do not hold them.
        """
        model = _core.Model.load(path)
        summary = json.loads(model.summary())
        classifies = summary["task"] == "classification"
        known: Any = Stored._classes[summary["method"], classifies]
        if not issubclass(known, cls):
            raise ValueError(
                f"{path} holds a model for {summary['task']} of {known.__name__}, which is no {cls.__name__}. "
                "Hint: stablevar.load reads any."
            )
        settings = {**summary["settings"], "seed": summary["seed"]}
        given = {parameter: settings[name] for parameter, name in known._parameters.items() if name in settings}
        none = {parameter for parameter, name in known._parameters.items() if name in known._none_is_a_choice}
        given = {name: None if name in none and value == "none" else value for name, value in given.items()}
        given = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
        estimator: Any = known(**given)
        estimator._model = model
        names = summary["inputs"]
        estimator.n_features_in_ = len(names)
        if names != [f"x{k}" for k in range(len(names))]:
            estimator.feature_names_in_ = np.array(names, dtype=object)
        estimator.weights_ = None
        estimator._read_summary(names, stacklevel=None)
        if classifies:
            estimator.classes_ = np.array(summary["classes"], dtype=object)
        return estimator

    def report(
        self,
        path: Path,
        X: Rows = None,
        y: Values = None,
        environments: Values = None,
        compare: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the report page: one self-contained HTML file.

        Parameters
        ----------
        path : str or path-like
            Where to.
        X : array-like or data frame of shape (n_samples, n_features) or None, default=None
            Rows to show the model's error on, from elsewhere if possible.
        y : array-like of shape (n_samples,) or None, default=None
            Their outcomes.
        environments : array-like of shape (n_samples,) or None, default=None
            The environment of each row; without it all rows are one.
        compare : dict of str to object or None, default=None
            Other fitted models by name, whose errors are shown beside.
        """
        check_is_fitted(self)
        check_together(X, y)
        if X is None:
            if environments is not None or compare is not None:
                raise ValueError("environments and compare have a meaning only with X and y.")
            self._model.report(path, None)
            return
        if environments is None:
            environments = np.full(len(y), "all")
        models = {type(self).__name__: self, **(compare or {})}
        levels, errors, metric = errors_by_environment(models, X, y, environments)
        axis = str(getattr(environments, "name", None) or "environment")
        listed = [(name, [float(value) for value in values]) for name, values in errors.items()]
        self._model.report(path, (metric, axis, levels, listed))


def load(path: Path) -> Any:
    """Read a model file: the fitted estimator of its method, with its parameters.

    Parameters
    ----------
    path : str or path-like
        Where from: what ``save`` or the ``stablevar`` command wrote.

    Returns
    -------
    estimator : object
        Fitted.
    """
    return Stored.load(path)
