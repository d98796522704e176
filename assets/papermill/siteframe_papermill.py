"""Lets papermill write and read parameters of notebooks in TypeScript.

As a program it is papermill's own command line: python siteframe_papermill.py in.ipynb out.ipynb -p site 101
In a program of yours: import siteframe_papermill, before the first call of papermill.
"""

import json
import re

from papermill.models import Parameter
from papermill.translators import Translator, papermill_translators


class TypeScriptTranslator(Translator):
    """Values are JSON. What JSON does not have, as infinity, is an error."""

    # A declaration on a line of its own, as Siteframe's notebooks have their parameters.
    _declaration = re.compile(
        r"^\s*(?:let|const|var)\s+([\w$]+)\s*(?::\s*([^=]+?))?\s*=\s*(.+?)\s*;?\s*(?://\s*(.*))?$"
    )

    @classmethod
    def translate(cls, val):
        return json.dumps(val, allow_nan=False, ensure_ascii=False)

    @classmethod
    def comment(cls, cmt_str):
        return f"// {cmt_str}"

    @classmethod
    def assign(cls, name, str_val):
        return f"let {name} = {str_val};"

    @classmethod
    def inspect(cls, parameters_cell):
        found = map(cls._declaration.match, parameters_cell["source"].splitlines())
        return [
            Parameter(name=match[1], inferred_type_name=match[2] or "None", default=match[3], help=match[4] or "")
            for match in found
            if match
        ]


papermill_translators.register("typescript", TypeScriptTranslator)

if __name__ == "__main__":
    from papermill.__main__ import papermill

    papermill()
