"""What the program prints and writes is as docs/schema says, and no key of it is unknown there."""

import json
from pathlib import Path

import pytest

SCHEMAS = Path(__file__).parents[2] / "docs" / "schema"
COMMANDS = ("fit", "compare", "foresee", "evaluate", "reproduce")


def strict(schema):
    """The schema with unknown keys refused: programs of users should bear new ones, the docs should know them."""
    if isinstance(schema, list):
        return [strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: strict(part) for key, part in schema.items()}
    # A key may be called "properties", too; then its value describes it.
    if isinstance(schema.get("properties"), dict) and schema.get("type") == "object":
        made.setdefault("additionalProperties", False)
    return made


def check(name, value):
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    errors = jsonschema.Draft202012Validator(strict(schema)).iter_errors(value)
    told = [f"{'/'.join(map(str, error.absolute_path))}: {error.message[:300]}" for error in errors]
    assert not told, (name, told)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A table with numbers, a text, classes, environments and a column that carries nothing, as CSV."""
    import numpy as np

    draw = np.random.default_rng(0)
    n = 600
    size, age, place = draw.normal(size=n), draw.normal(size=n), draw.choice(["north", "south", "west"], n)
    price = 2 * size - age + (place == "north") + 0.5 * draw.normal(size=n)
    sold = np.where(price + draw.normal(size=n) > 0, "yes", "no")
    rows = zip(size, age, place, draw.choice(["a", "b"], n), price, sold)
    path = tmp_path_factory.mktemp("tables") / "table.csv"
    lines = ["size,age,place,town,price,sold,same", *(",".join(map(str, [*row, 1])) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


FITS = {
    "default": ["--target", "price", "--exclude", "sold,town"],
    "environments": ["--target", "price", "--exclude", "sold", "--env", "town", "--stable=size", "--unstable=age"],
    "classes": ["--target", "sold", "--exclude", "price,town", "--resamples", "10"],
    "as published": ["--target", "price", "--exclude", "sold,town", "--evidence", "none"],
    "honest": ["--target", "price", "--exclude", "sold,town", "--honest", "2"],
    "focused": ["--target", "price", "--exclude", "sold,town", "--evidence", "focused", "--fdr", "0.1"],
    "least squares": ["--target", "price", "--exclude", "sold,town", "--method", "ols", "--remember", "0"],
    "balance": ["--target", "price", "--exclude", "sold,town", "--method", "dwr", "--reweighter", "balance"],
    "trees": ["--target", "price", "--exclude", "sold,town", "--refit", "trees"],
    "network": ["--target", "price", "--exclude", "sold,town", "--method", "mlp"],
    "independence": ["--target", "price", "--exclude", "sold,town", "--method", "srdo"],
}


@pytest.mark.parametrize("options", FITS.values(), ids=FITS.keys())
def test_fits_and_model_files(command, table, tmp_path, options):
    model = tmp_path / "model.json"
    told = json.loads(command("fit", table, *options, "--quiet", "--format", "json", "--model", model))
    check("fit", told)
    check("model", json.loads(model.read_text()))
    assert told["open_probability"] == told["probability"]


@pytest.mark.parametrize("target", ["price", "sold"])
def test_what_a_model_tells_of_other_rows(command, table, tmp_path, target):
    other = "sold" if target == "price" else "price"
    models = [tmp_path / "one.json", tmp_path / "two.json"]
    plain = "ols" if target == "price" else "logistic"
    for model, method in zip(models, ["svi", plain]):
        options = ["--target", target, "--exclude", f"{other},town", "--method", method, "--model", model]
        command("fit", table, *options, "--quiet")
    check("evaluate", json.loads(command("evaluate", models[0], table, "--format", "json")))
    told = json.loads(command("evaluate", *models, table, "--env", "town", "--format", "json"))
    check("evaluate", told)
    with pytest.raises(AssertionError, match="surprise"):
        check("evaluate", {**told, "surprise": 1})
    assert set(told["models"]) == {"one", "two"} and set(told["environments"]) == {"a", "b"}
    # Rows that moved, with a text that training did not have.
    moved = tmp_path / "moved.csv"
    header, *rows = table.read_text().splitlines()
    changed = [",".join([str(float(row.split(",")[0]) + 0.5), *row.split(",")[1:]]) for row in rows]
    moved.write_text("\n".join([header, *changed]).replace("west", "east") + "\n")
    told = json.loads(command("foresee", models[0], moved, "--format", "json"))
    check("foresee", told)
    assert any("new_levels" in column for column in told["drift"].values()) and told["findings"]


def test_methods_side_by_side(command, table):
    options = ["--target", "price", "--exclude", "sold,town", "--quick", "--quiet", "--format", "json"]
    check("compare", json.loads(command("compare", table, *options)))


def test_an_experiment(command, tmp_path):
    told = command("reproduce", "table1", "--seeds", 1, "--out", tmp_path, "--quiet", "--format", "json")
    check("reproduce", json.loads(told))
    assert json.loads((tmp_path / "table1.json").read_text()) == json.loads(told)


def test_every_key_is_described():
    def described(schema, path):
        for name, part in schema.get("properties", {}).items():
            where = f"{path}/{name}"
            assert "description" in part or part.get("$ref") or part.get("properties"), where
            described(part, where)
        for key in ("items", "additionalProperties"):
            if isinstance(schema.get(key), dict):
                described(schema[key], path)
        for part in schema.get("anyOf", []):
            described(part, path)
        for name, part in schema.get("$defs", {}).items():
            described(part, f"{path}/{name}")

    for name in (*COMMANDS, "model"):
        described(json.loads((SCHEMAS / f"{name}.schema.json").read_text()), name)
