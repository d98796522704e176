"""Reads {dialect: [statement, ...]} as JSON and says what a parser of that dialect finds odd, dialect by dialect."""

import json
import re
import sys

import sqlglot
from sqlglot import exp


def words(sql):
    """The functions that a statement calls: what stands before a parenthesis, outside of quotes."""
    plain = re.sub(r"'(?:[^'\\]|\\.|'')*'|\"[^\"]*\"|`[^`]*`", "''", sql)
    return {word.upper() for word in re.findall(r"\b[A-Za-z_]\w*(?=\()", plain)}


def look(dialect, statements):
    errors, unknown, others = [], set(), set()
    for sql in statements:
        try:
            tree = sqlglot.parse_one(sql, read=dialect)
        except sqlglot.errors.SqlglotError as error:
            errors.append(str(error))
            continue
        unknown |= {call.name.upper() for call in tree.find_all(exp.Anonymous)}
        others |= words(sql) - words(tree.sql(dialect=dialect))
    return {"errors": errors, "unknown": sorted(unknown), "others": sorted(others)}


json.dump({dialect: look(dialect, statements) for dialect, statements in json.load(sys.stdin).items()}, sys.stdout)
