"""Estimators on Dask collections: the rows stay where they are, and only sums travel.

Every step of a fit is a pass over the rows that returns sums of the size of the columns. A pass over a block of rows
is one small task; the sums are added as a tree. Blocks are cut from the encoded partitions by the number of rows
alone, so that the result is the same to the last bit as in memory, however the rows were partitioned.
"""

try:
    import dask.array  # noqa: F401
    import dask.dataframe  # noqa: F401
    import distributed  # noqa: F401
except ImportError as error:  # pragma: no cover
    raise ImportError(
        "stablevar.dask needs Dask with its distributed scheduler: pip install 'stablevar[dask]'"
    ) from error

from ._classes import DaskBalance, DaskSVIClassifier, DaskSVIRegressor
from ._client import _Rows as _Rows

__all__ = ["DaskBalance", "DaskSVIClassifier", "DaskSVIRegressor"]
