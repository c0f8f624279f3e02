"""What a fitted model tells of rows and places that it has not seen."""

from __future__ import annotations

import json
from abc import ABCMeta, abstractmethod
from collections.abc import Collection, Mapping
from typing import Any

from sklearn.utils.validation import check_is_fitted

from . import _core
from ._foresight import Foresight, curve_of, foresight_of, grid_of
from ._settings import Rows
from ._tables import columns_of_training


class Foreseeing(metaclass=ABCMeta):
    """A fitted model that foresees errors."""

    _model: _core.Model
    summary_: dict[str, Any]

    @abstractmethod
    def _new_rows(self, X: Rows, needed: Collection[str] | None = None) -> tuple[_core.Input, list[str]]:
        """What the core reads of new rows, and the columns' names; a data frame may lack those that are not needed."""

    def foresee(self, X: Rows) -> Foresight:
        """Which columns of new rows drifted, and the error to expect there.

        The error is that of training rows like the new ones. A relation of outcome and columns that has changed can't
        be seen without outcomes.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            New rows, without outcomes. A data frame may lack columns that the model does not use, and have others,
            which are passed over, as on the command line.

        Returns
        -------
        foresight : Foresight
            With ``expected_error``, ``interval``, ``training_error``, ``n_eff``, ``outside_share``, ``drift`` and
            ``trust``; printed as text, shown by notebooks as HTML. ``drift_frame()`` is a data frame.
        """
        check_is_fitted(self)
        X, names = self._new_rows(columns_of_training(self, X), needed=self.summary_["uses"])
        return foresight_of(self._model.foresee(X, names), self.summary_["target"], self.summary_["remembered_rows"])

    def shift_curve(self, column: str) -> dict[str, Any]:
        """The error as a function of where a column's mean is, by tilts of the training rows.

        Parameters
        ----------
        column : str
            The column.

        Returns
        -------
        curve : dict
            Arrays ``shift`` (in standard deviations), ``mean``, ``error`` (NaN where too few rows are left),
            ``standard_error``, ``without_one`` (the error without the row that adds most to it) and ``n_eff``; and
            ``column``, ``level`` (of text, the one whose share moves), ``used``,
            ``danger`` (the largest rise of ``without_one`` within one standard deviation, as a share).
        """
        check_is_fitted(self)
        return curve_of(self._model.shift_curve(column))

    def shift_curves(self) -> list[dict[str, Any]]:
        """The same for all columns, the most dangerous first.

        Returns
        -------
        curves : list of dict
        """
        check_is_fitted(self)
        return [curve_of(text) for text in self._model.shift_curves()]

    def shift_grid(self, first: str, second: str) -> dict[str, Any]:
        """The error when the means of two columns move at once.

        Parameters
        ----------
        first, second : str
            The columns.

        Returns
        -------
        grid : dict
            ``shift`` (in standard deviations, for both), ``error``, ``standard_error``, ``without_one`` and ``n_eff``:
            arrays with a row for every shift of the first column and a column for every one of the second, NaN where
            too few rows are left; and ``columns``, ``levels`` (of texts, those whose shares move), ``mean``.
        """
        check_is_fitted(self)
        return grid_of(self._model.shift_grid(first, second))

    def shifted_error(self, shifts: Mapping[str, float]) -> dict[str, Any]:
        """The error when the means of several columns move at once.

        Parameters
        ----------
        shifts : dict of str to float
            By how many standard deviations each of them moves.

        Returns
        -------
        point : dict
            ``error`` and ``standard_error``, None where too few rows are left, and ``n_eff``.
        """
        check_is_fitted(self)
        point: dict[str, Any] = json.loads(self._model.shifted([(name, float(by)) for name, by in shifts.items()]))
        return {key: point[key] for key in ("error", "standard_error", "n_eff")}
