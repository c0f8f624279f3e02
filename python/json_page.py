"""The page of the JSON output, from the schemas in docs/schema; generate.py writes it."""

from __future__ import annotations

import json
from pathlib import Path

SCHEMAS = Path(__file__).resolve().parents[1] / "docs" / "schema"
EXAMPLES = {
    "fit": "stablevar fit houses.csv --target price --format json",
    "compare": "stablevar compare houses.csv --target price --format json",
    "foresee": "stablevar foresee model.json new.csv --format json",
    "evaluate": "stablevar evaluate model.json later.csv --env period --format json",
    "reproduce": "stablevar reproduce table1 --seeds 1 --out results --format json",
}
HEAD = """# JSON output

<!-- Made by python/json_page.py from docs/schema: change that, and `make generate`. -->

With `--format json` a command prints exactly one JSON object on standard output and nothing else there; messages go to
standard error. Keys that are here stay; new ones may come, so that programs should leave aside what they do not know. A
figure that can't be told is `null`. Files written with `--model` are another thing: [the model file](model-format.md).

Every object has a schema (JSON Schema, 2020-12) that other programs can check by or make types from:
{schemas}.
Tests hold what the program prints to them, and refuse keys that they do not have.

In a key, `[]` stands for the elements of a list and `*` for names, of variables, columns or environments.
"""


def kind(schema: dict) -> str:
    """What a value is, in words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{{section}}-{name.replace('_', '-')})"
    if "anyOf" in schema:
        return " or ".join(kind(part) for part in schema["anyOf"])
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    types = schema.get("type", "any")
    types = [types] if isinstance(types, str) else types
    words = {"array": "list", "boolean": "true or false", "integer": "whole number", "string": "text"}
    made = " or ".join(words.get(name, name) for name in types)
    inner = schema.get("items") or schema.get("additionalProperties")
    if isinstance(inner, dict) and inner and not inner.get("properties"):
        made += f" of {kind(inner)}"
    return made


def rows(schema: dict, path: str = "") -> list[tuple[str, str, str]]:
    """Key, kind and meaning of all that stands inside, down to what has a table of its own."""
    made = []
    for name, part in schema.get("properties", {}).items():
        optional = "" if name in schema.get("required", []) else " Not always there."
        made.append((path + name, kind(part), part.get("description", "") + optional))
        made += inside(part, path + name)
    return made


def inside(schema: dict, path: str) -> list[tuple[str, str, str]]:
    """What stands inside a value."""
    made = rows(schema, path + ".") if "properties" in schema else []
    for key, mark in (("items", "[]"), ("additionalProperties", ".*")):
        if isinstance(schema.get(key), dict):
            made += inside(schema[key], path + mark)
    for part in schema.get("anyOf", []):
        made += inside(part, path)
    return made


def table(schema: dict, section: str) -> list[str]:
    lines = [f"| `{key}` | {what} | {meaning} |" for key, what, meaning in rows(schema)]
    return ["| key | what | meaning |", "|---|---|---|", *(line.replace("{section}", section) for line in lines)]


def page() -> str:
    """docs/json.md."""
    listed = ", ".join(f"[{name}](schema/{name}.schema.json)" for name in EXAMPLES)
    lines = [HEAD.format(schemas=listed)]
    for name, example in EXAMPLES.items():
        schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
        lines += [f"## {name}", "", f"    {example}", "", schema["description"], ""]
        lines += [*table(schema, name), ""] if "properties" in schema else []
        for inner, part in schema.get("$defs", {}).items():
            # Headings tell commands apart: some objects are in several.
            lines += [f"### {name}: {inner.replace('_', ' ')}", ""]
            lines += [part["description"], ""] if "description" in part else []
            lines += [*table(part, name), ""]
    return "\n".join(lines).rstrip() + "\n"
