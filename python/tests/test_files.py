"""Tables as pyarrow and polars write them mean what they mean as CSV."""

import datetime
import decimal
import json
import random

import pytest

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

ROWS = 60
START = datetime.datetime(2014, 10, 13)
COMPRESSIONS = ["none", "snappy", "gzip", "zstd", "lz4"]


def values(make, missing, seed):
    """One value a row, every seventh of them missing if some may be."""
    draw = random.Random(seed)
    made = [make(draw) for _ in range(ROWS)]
    return [None if missing and row % 7 == 3 else value for row, value in enumerate(made)]


def decimals(digits, scale):
    return lambda draw: decimal.Decimal(draw.randrange(-(10**digits) + 1, 10**digits)).scaleb(
        -scale, decimal.Context(99)
    )


def days(draw):
    return START.date() + datetime.timedelta(days=draw.randrange(2000))


def moments(draw):
    return START + datetime.timedelta(hours=draw.randrange(50_000))


def words(draw):
    return draw.choice(["red", "green", "blue", "grün"])


NUMBERS = {
    "int8": (pa.int8(), lambda draw: draw.randrange(-128, 128)),
    "int16": (pa.int16(), lambda draw: draw.randrange(-(2**15), 2**15)),
    "int32": (pa.int32(), lambda draw: draw.randrange(-(2**31), 2**31)),
    "int64": (pa.int64(), lambda draw: draw.randrange(-(2**52), 2**52)),
    "uint8": (pa.uint8(), lambda draw: draw.randrange(256)),
    "uint16": (pa.uint16(), lambda draw: draw.randrange(2**16)),
    "uint32": (pa.uint32(), lambda draw: draw.randrange(2**31, 2**32)),
    "uint64": (pa.uint64(), lambda draw: draw.randrange(2**63, 2**64)),
    "float16": (pa.float16(), lambda draw: draw.randrange(-2000, 2000) / 4),
    "float32": (pa.float32(), lambda draw: draw.randrange(-(2**20), 2**20) / 8),
    "float64": (pa.float64(), lambda draw: draw.gauss(0, 1)),
    "decimal in 32 bits": (pa.decimal128(9, 2), decimals(9, 2)),
    "decimal in 64 bits": (pa.decimal128(18, 3), decimals(18, 3)),
    "decimal in 128 bits": (pa.decimal128(38, 20), decimals(38, 20)),
    "decimal in 256 bits": (pa.decimal256(60, 40), decimals(60, 40)),
}
OTHERS = {
    "flag": (pa.bool_(), lambda draw: draw.random() < 0.5),
    "text": (pa.string(), words),
    "large text": (pa.large_string(), words),
    "dictionary": (pa.dictionary(pa.int32(), pa.string()), words),
    "date": (pa.date32(), days),
    "seconds": (pa.timestamp("s"), moments),
    "milliseconds": (pa.timestamp("ms"), moments),
    "microseconds": (pa.timestamp("us", tz="UTC"), moments),
    "nanoseconds": (pa.timestamp("ns"), moments),
}


def table(kinds, missing):
    """A column of each kind, and an outcome."""
    columns = {
        name: pa.array(values(make, missing, name), type=kind) if name != "float16" else halves(make, missing, name)
        for name, (kind, make) in kinds.items()
    }
    draw = random.Random(1)
    return pa.table({**columns, "y": [draw.gauss(0, 1) for _ in range(ROWS)]})


def halves(make, missing, seed):
    numpy = pytest.importorskip("numpy")
    made = values(make, missing, seed)
    return pa.array([None if value is None else numpy.float16(value) for value in made], type=pa.float16())


def written(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime.datetime):
        return value.replace(tzinfo=None).isoformat(sep=" ", timespec="seconds")
    return f"{value:f}" if isinstance(value, decimal.Decimal) else str(value)


def as_csv(table, path):
    lines = [table.column_names, *zip(*(map(written, column.to_pylist()) for column in table.columns))]
    path.write_text("".join(",".join(line) + "\n" for line in lines))
    return path


def fitted(command, path, *arguments):
    """All that depends on the values: least squares on every column."""
    text = command(
        "fit",
        path,
        "--target",
        "y",
        "--method",
        "ols",
        "--missing",
        "mean",
        "--seed",
        1,
        "--format",
        "json",
        *arguments,
    )
    result = json.loads(text)
    return {name: result[name] for name in ("n", "features", "coefficients", "intercept", "n_eff")}


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("kinds", [NUMBERS, OTHERS], ids=["numbers", "others"])
def test_every_kind_of_column_is_read_from_parquet(command, tmp_path, kinds, missing):
    made = table(kinds, missing)
    expected = fitted(command, as_csv(made, tmp_path / "t.csv"))
    path = tmp_path / "t.parquet"
    for compression in COMPRESSIONS:
        for version in ["1.0", "2.0"]:
            for dictionary in [True, False]:
                parquet.write_table(
                    made,
                    path,
                    compression=compression,
                    data_page_version=version,
                    use_dictionary=dictionary,
                    row_group_size=25,
                    data_page_size=64,
                    write_batch_size=8,
                )
                assert fitted(command, path) == expected, (compression, version, dictionary)
    # Without Arrow's schema beside it, and with decimals as whole numbers.
    parquet.write_table(made, path, store_schema=False, store_decimal_as_integer=True)
    assert fitted(command, path) == expected


def test_encodings_of_parquet(command, tmp_path):
    made = table({**NUMBERS, **OTHERS}, True)
    expected = fitted(command, as_csv(made, tmp_path / "t.csv"))
    encodings = {
        **{name: "DELTA_BINARY_PACKED" for name in ("int8", "int64", "uint32", "date", "microseconds")},
        **{name: "BYTE_STREAM_SPLIT" for name in ("float16", "float32", "float64", "int32", "decimal in 128 bits")},
        "text": "DELTA_BYTE_ARRAY",
        "large text": "DELTA_LENGTH_BYTE_ARRAY",
        "decimal in 256 bits": "DELTA_BYTE_ARRAY",
        "flag": "RLE",
    }
    path = tmp_path / "t.parquet"
    for version in ["1.0", "2.0"]:
        parquet.write_table(made, path, use_dictionary=False, column_encoding=encodings, data_page_version=version)
        assert fitted(command, path) == expected, version


def test_moments_of_old_files(command, tmp_path):
    kinds = {name: kind for name, kind in OTHERS.items() if name.endswith("seconds")}
    made = table(kinds, True)
    expected = fitted(command, as_csv(made, tmp_path / "t.csv"))
    path = tmp_path / "t.parquet"
    for schema in [True, False]:
        parquet.write_table(made, path, use_deprecated_int96_timestamps=True, store_schema=schema)
        assert fitted(command, path) == expected, schema
    # Years that nanoseconds do not reach.
    far = pa.table({"t": pa.array([datetime.datetime(year, 1, 1) for year in range(1200, 1260)]), "y": made["y"]})
    parquet.write_table(far, path, use_deprecated_int96_timestamps=True)
    assert fitted(command, path) == fitted(command, as_csv(far, tmp_path / "t.csv"))


def test_polars_writes_the_same_table(command, tmp_path):
    polars = pytest.importorskip("polars")
    kinds = {
        name: kind for name, kind in {**NUMBERS, **OTHERS}.items() if name not in ("float16", "decimal in 256 bits")
    }
    made = table(kinds, True)
    expected = fitted(command, as_csv(made, tmp_path / "t.csv"))
    path = tmp_path / "t.parquet"
    for compression in ["zstd", "uncompressed", "snappy", "gzip", "lz4"]:
        polars.from_arrow(made).write_parquet(path, compression=compression, row_group_size=25)
        assert fitted(command, path) == expected, compression


def test_categories_are_written_as_they_are_in_csv(command, tmp_path):
    draw = random.Random(2)
    columns = {
        "int": pa.array([draw.randrange(3) for _ in range(ROWS)]),
        "unsigned": pa.array([draw.choice([1, 2**63 + 1]) for _ in range(ROWS)], type=pa.uint64()),
        "flag": pa.array([draw.random() < 0.5 for _ in range(ROWS)]),
        "date": pa.array([START.date() + datetime.timedelta(days=draw.randrange(3)) for _ in range(ROWS)]),
        "moment": pa.array([START + datetime.timedelta(hours=draw.randrange(3)) for _ in range(ROWS)]),
        "float": pa.array([draw.choice([0.5, 1.25, None]) for _ in range(ROWS)]),
        "decimal": pa.array([decimal.Decimal(draw.choice(["0.10", "-1.25"])) for _ in range(ROWS)]),
        "y": pa.array([draw.gauss(0, 1) for _ in range(ROWS)]),
    }
    made = pa.table(columns)
    names = [argument for name in made.column_names[:-1] for argument in ("--category", name)]
    expected = fitted(command, as_csv(made, tmp_path / "t.csv"), *names)
    parquet.write_table(made, tmp_path / "t.parquet")
    assert fitted(command, tmp_path / "t.parquet", *names) == expected


UNUSABLE = {
    "Binary": pa.array([b"a"] * ROWS),
    "LargeBinary": pa.array([b"a"] * ROWS, type=pa.large_binary()),
    "FixedSizeBinary(3)": pa.array([b"abc"] * ROWS, type=pa.binary(3)),
    "Time64(µs)": pa.array([datetime.time(1, 2)] * ROWS),
    "Time32(ms)": pa.array([datetime.time(1, 2)] * ROWS, type=pa.time32("ms")),
    "Duration(ns)": pa.array([5] * ROWS, type=pa.duration("ns")),
    "List(": pa.array([[1, 2]] * ROWS),
    "Struct(": pa.array([{"a": 1}] * ROWS),
    "Map(": pa.array([[("a", 1)]] * ROWS, type=pa.map_(pa.string(), pa.int64())),
}


# Some are such by Arrow's schema alone.
BY_SCHEMA = ["LargeBinary", "Duration(ns)"]


@pytest.mark.parametrize(
    ("kind", "schema"),
    [(kind, schema) for kind in UNUSABLE for schema in (True, False) if schema or kind not in BY_SCHEMA],
)
def test_what_can_not_be_used_is_named_where_it_is_used(command, tmp_path, kind, schema):
    numbers = [float(row * row % 13) for row in range(ROWS)]
    made = pa.table({"x": UNUSABLE[kind], "a": numbers[::-1], "y": numbers})
    path = tmp_path / "t.parquet"
    parquet.write_table(made, path, store_schema=schema)
    with pytest.raises(AssertionError, match="column 'x' holds") as told:
        fitted(command, path)
    assert f"holds {kind}" in str(told.value) and "--exclude x" in str(told.value)
    assert fitted(command, path, "--exclude", "x")["features"] == ["a"]


def test_brotli_is_refused_by_its_name(command, tmp_path):
    parquet.write_table(table(NUMBERS, False), tmp_path / "t.parquet", compression="brotli")
    with pytest.raises(AssertionError, match="compressed with Brotli"):
        fitted(command, tmp_path / "t.parquet")
