#!/usr/bin/env python3
"""Converts cases of the Berkeley Function-Calling Leaderboard, with made-up outputs and its own verdicts.

Needs the package bfcl-eval, installed without its dependencies (README.md beside this file says how):

    python3 tests/bfcl/convert.py --out target/bfcl.jsonl

Writes one JSON object a line: {id, category, prompt, tools, steps, outputs}. `steps` is null where nothing is to be
called, else a list of {tool, accepted: {argument: [values]}} in which null means "may be left out". Each output is
{kind, calls: [{name, arguments: JSON text}], valid}, `valid` being the leaderboard's verdict. The same input gives the
same bytes; nothing is drawn by chance.
"""

import argparse
import copy
import itertools
import json
import re
import sys
import types
from importlib import util
from pathlib import Path

CATEGORIES = ["simple_python", "multiple", "parallel", "irrelevance"]
TYPES = {"dict": "object", "float": "number", "tuple": "array", "any": None}
OPTIONAL = ""  # the leaderboard's word for "may be left out"
MOST_OBJECTS = 200  # of the combinations that accepted members of an object make


def load_checker():
    """The leaderboard's checker, with the one module that would pull in the SDKs of all providers replaced."""
    spec = util.find_spec("bfcl_eval")
    if spec is None:
        sys.exit("bfcl_eval is not installed: see tests/bfcl/README.md")
    models = types.ModuleType("bfcl_eval.constants.model_config")

    class Config:
        underscore_to_dot = False

    models.MODEL_CONFIG_MAPPING = {"none": Config}
    sys.modules["bfcl_eval.constants.model_config"] = models
    from bfcl_eval.constants.enums import Language
    from bfcl_eval.eval_checker.ast_eval.ast_checker import ast_checker

    def check(function, calls, answer, category):
        output = [{call["name"]: call["arguments"]} for call in calls]
        if category == "irrelevance":
            return not output
        if not output:
            return False
        return ast_checker(
            function, copy.deepcopy(output), answer, Language.PYTHON, category, "none"
        )["valid"]

    return Path(spec.submodule_search_locations[0]) / "data", check


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line]


def fits(value, kind):
    """Whether a value has the type that a schema names; used to repair defaults and enums."""
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    python = {"string": str, "boolean": bool, "array": list, "object": dict}
    return kind not in python or isinstance(value, python[kind])


def schema(given, repairs):
    """JSON Schema 2020-12 of one of the leaderboard's parameter descriptions."""
    kind = TYPES.get(given.get("type"), given.get("type"))
    made = {"type": kind} if kind else {}
    if "description" in given:
        made["description"] = given["description"]
    if "properties" in given:
        made["properties"] = {
            name: schema(it, repairs) for name, it in given["properties"].items()
        }
        made["required"] = [it for it in given.get("required", []) if it in made["properties"]]
    if "items" in given:
        made["items"] = schema(given["items"], repairs)
    if "default" in given:
        if fits(given["default"], kind):
            made["default"] = given["default"]
        else:
            repairs["default dropped"] = repairs.get("default dropped", 0) + 1
    if "enum" in given:
        if kind == "array" and not any(isinstance(it, list) for it in given["enum"]):
            made.setdefault("items", {})["enum"] = given["enum"]
            repairs["enum moved to the items"] = repairs.get("enum moved to the items", 0) + 1
        elif all(fits(it, kind) for it in given["enum"]):
            made["enum"] = given["enum"]
        else:
            repairs["enum dropped"] = repairs.get("enum dropped", 0) + 1
    return made


def tool(function, repairs):
    return {
        "name": function["name"],
        "description": function["description"],
        "inputSchema": schema(function["parameters"], repairs),
    }


def objects(accepted):
    """All objects that an object of accepted lists stands for."""
    names = list(accepted)
    choices = [
        [None if it == OPTIONAL else (it,) for it in spread(accepted[name])] for name in names
    ]
    made = []
    for chosen in itertools.islice(itertools.product(*choices), MOST_OBJECTS):
        made.append({name: it[0] for name, it in zip(names, chosen) if it is not None})
    return made


def spread(values):
    """The plain values of an accepted list: objects within it have accepted lists of their own."""
    made = []
    for value in values:
        if isinstance(value, dict):
            made.extend(objects(value))
        elif isinstance(value, list) and any(isinstance(it, dict) for it in value):
            parts = [objects(it) if isinstance(it, dict) else [it] for it in value]
            made.extend(list(it) for it in itertools.islice(itertools.product(*parts), MOST_OBJECTS))
        else:
            made.append(value)
    return made


def steps(answer, functions):
    """The expected calls. What the function requires may not be left out, whatever the answer says: so the checker."""
    made = []
    for call in answer:
        (name, accepted), = call.items()
        required = functions[name]["parameters"].get("required", [])
        values = {}
        for argument, given in accepted.items():
            values[argument] = [
                None if it == OPTIONAL and isinstance(it, str) else it
                for it in spread(given)
                if it != OPTIONAL or argument not in required
            ]
        made.append({"tool": name, "accepted": values})
    return made


def first_right(step, with_optional):
    """The first accepted value of each argument; those that may be left out only where asked for."""
    arguments = {}
    for name, values in step["accepted"].items():
        present = [it for it in values if it is not None]
        if present and (with_optional or len(present) == len(values)):
            arguments[name] = present[0]
    return {"name": step["tool"], "arguments": arguments}


def edits(arguments, details):
    """Wrong and harmless changes of one call's arguments, as (kind, arguments)."""

    def with_(name, value):
        changed = copy.deepcopy(arguments)
        changed[name] = value
        return changed

    for name, value in arguments.items():
        kind = details.get(name, {}).get("type")
        if isinstance(value, bool):
            yield "boolean_flipped", with_(name, not value)
        elif isinstance(value, (int, float)):
            yield "number_changed", with_(name, value + 1)
            if value:
                yield "sign_lost", with_(name, -value)
            yield "number_as_text", with_(name, str(value))
            if isinstance(value, int) and kind == "integer":
                yield "int_as_float", with_(name, float(value))
            if kind == "float" and float(value).is_integer():
                yield "float_as_int", with_(name, int(value))
            if kind == "float" and value:
                yield "float_tiny_error", with_(name, value * (1 + 1e-9))
        elif isinstance(value, str):
            yield from text_edits(name, value, details.get(name, {}), with_)
        elif isinstance(value, list):
            yield "list_as_text", with_(name, json.dumps(value))
            if value:
                yield "list_item_lost", with_(name, value[:-1])
                yield "list_item_twice", with_(name, value + value[-1:])
            if value[::-1] != value:
                yield "list_reordered", with_(name, value[::-1])
        elif isinstance(value, dict) and value:
            first = next(iter(value))
            yield "member_lost", with_(name, {k: v for k, v in value.items() if k != first})
            yield "member_invented", with_(name, {**value, "surprise": 1})


def text_edits(name, value, details, with_):
    if not value:
        return
    yield "text_changed", with_(name, value + " indeed")
    yield "text_replaced", with_(name, "zebra")
    if details.get("enum") and value.upper() != value:
        yield "enum_uppercase", with_(name, value.upper())
    elif value.upper() != value:
        yield "case_changed", with_(name, value.upper())
    yield "space_added", with_(name, f" {value.replace(' ', '  ')} ")
    bare = re.sub(r"[,./\-_*^]", "", value)
    if bare != value and bare:
        yield "punctuation_removed", with_(name, bare)
    if re.search(r"\d", value):
        changed = re.sub(r"\d", lambda it: str((int(it.group()) + 1) % 10), value, count=1)
        yield "digit_changed", with_(name, changed)


def swapped(arguments):
    """The first two arguments of one type with their values exchanged."""
    for one, two in itertools.combinations(arguments, 2):
        first, second = arguments[one], arguments[two]
        if type(first) is type(second) and first != second:
            return {**arguments, one: second, two: first}
    return None


def outputs(entry, expected):
    """Outputs of every kind for one case, as (kind, calls)."""
    functions = {it["name"]: it for it in entry["function"]}
    if expected is None:
        name = entry["function"][0]["name"]
        yield "no_call", []
        yield "needless_call", [{"name": name, "arguments": {}}]
        return
    right = [first_right(step, False) for step in expected]
    yield "correct", right
    full = [first_right(step, True) for step in expected]
    if full != right:
        yield "correct_with_optional", full
    yield "no_call", []
    yield "extra_call", right + right[:1]
    yield "call_lost", right[:-1]
    if len(right) > 1:
        yield "parallel_reordered", right[::-1]
        yield "parallel_one_twice", [right[0]] + right[:-1]

    def first(name=None, arguments=None):
        return [
            {
                "name": name or right[0]["name"],
                "arguments": right[0]["arguments"] if arguments is None else arguments,
            }
        ] + right[1:]

    called = right[0]["name"]
    yield "name_uppercase", first(name=called.upper())
    yield "name_unknown", first(name=called + "_v2")
    for other in functions:
        if other != called:
            yield "wrong_tool", first(name=other)
            break
    parameters = functions[called]["parameters"]
    for name in right[0]["arguments"]:
        less = {k: v for k, v in right[0]["arguments"].items() if k != name}
        kind = "required_lost" if name in parameters.get("required", []) else "optional_lost"
        yield kind, first(arguments=less)
    yield "argument_invented", first(arguments={**right[0]["arguments"], "surprise": 1})
    exchanged = swapped(right[0]["arguments"])
    if exchanged:
        yield "values_swapped", first(arguments=exchanged)
    for name, details in parameters["properties"].items():
        if "default" in details and name not in right[0]["arguments"]:
            kind = TYPES.get(details["type"], details["type"])
            if fits(details["default"], kind):
                arguments = {**right[0]["arguments"], name: details["default"]}
                yield "explicit_default", first(arguments=arguments)
    for kind, arguments in edits(full[0]["arguments"], parameters["properties"]):
        yield kind, [{"name": called, "arguments": arguments}] + full[1:]


def convert(folder, check, count):
    repairs = {}
    for category in CATEGORIES:
        entries = lines(folder / f"BFCL_v4_{category}.json")
        answers = {}
        if category != "irrelevance":
            path = folder / "possible_answer" / f"BFCL_v4_{category}.json"
            answers = {it["id"]: it["ground_truth"] for it in lines(path)}
        # Spread over the whole file: neighbours resemble each other.
        chosen = [entries[at * len(entries) // count] for at in range(count)]
        for entry in chosen:
            answer = answers.get(entry["id"])
            functions = {it["name"]: it for it in entry["function"]}
            expected = steps(answer, functions) if answer else None
            judged = []
            for kind, calls in outputs(entry, expected):
                valid = check(entry["function"], calls, answer, category)
                texts = [
                    {"name": it["name"], "arguments": json.dumps(it["arguments"])} for it in calls
                ]
                judged.append({"kind": kind, "calls": texts, "valid": valid})
            yield {
                "id": entry["id"],
                "category": category,
                "prompt": entry["question"][0][-1]["content"],
                "tools": [tool(it, repairs) for it in entry["function"]],
                "steps": expected,
                "outputs": judged,
            }
    print(f"repairs: {json.dumps(repairs)}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--count", type=int, default=50, help="cases of each category")
    arguments = parser.parse_args()
    folder, check = load_checker()
    cases = list(convert(folder, check, arguments.count))
    with arguments.out.open("w") as out:
        for case in cases:
            out.write(json.dumps(case) + "\n")
    total = sum(len(case["outputs"]) for case in cases)
    print(f"{len(cases)} cases, {total} outputs: {arguments.out}", file=sys.stderr)


if __name__ == "__main__":
    main()
