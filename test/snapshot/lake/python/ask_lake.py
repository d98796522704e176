"""Answers queries about DuckLakes, one JSON line each: {"attach": [...]} anew, or {"sql": ..., "parameters": [...]}.

Arguments are the extensions of DuckDB that are loaded.
"""

import datetime
import importlib.util
import json
import pathlib
import sys

import duckdb


def extension(name):
    folder = pathlib.Path(importlib.util.find_spec(f"duckdb_extension_{name}").origin).parent
    return next(folder.glob(f"extensions/*/{name}.duckdb_extension"))


def connect():
    connection = duckdb.connect(config={"allow_unsigned_extensions": True})
    for name in sys.argv[1:]:
        connection.execute(f"LOAD '{extension(name)}'")
    return connection


EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def given(parameter):
    """A text, or of {"date": ...} and {"instant": ...} a value of Python."""
    if isinstance(parameter, dict):
        if "date" in parameter:
            return datetime.date.fromisoformat(parameter["date"])
        return EPOCH + datetime.timedelta(microseconds=parameter["instant"])
    return parameter


def shown(value):
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, datetime.datetime):
        # As a Date has it; microseconds of far times are no exact number in JavaScript.
        return {"ms": (value - EPOCH) // datetime.timedelta(milliseconds=1)}
    if isinstance(value, datetime.date):
        return value.isoformat()
    return value


connection = connect()
for line in sys.stdin:
    asked = json.loads(line)
    try:
        if "attach" in asked:
            connection = connect()
            for statement in asked["attach"]:
                connection.execute(statement)
            answer = {"names": [], "rows": []}
        else:
            found = connection.execute(asked["sql"], [given(one) for one in asked.get("parameters", [])])
            names = [column[0] for column in found.description]
            answer = {"names": names, "rows": [[shown(value) for value in row] for row in found.fetchall()]}
    except Exception as error:
        answer = {"error": str(error)}
    print(json.dumps(answer), flush=True)
