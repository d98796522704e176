"""Executes a notebook with nbclient, then once more with nbconvert, and prints how many cells ran."""

import json
import subprocess
import sys

import nbformat
from nbclient import NotebookClient

source, target = sys.argv[1:3]
notebook = nbformat.read(source, as_version=4)
NotebookClient(notebook, timeout=120, kernel_name="siteframe").execute()
nbformat.validate(notebook)
subprocess.run(
    [sys.executable, "-m", "nbconvert", "--to", "html", "--execute", "--ExecutePreprocessor.kernel_name=siteframe"]
    + ["--ExecutePreprocessor.timeout=120", "--output", target, source],
    check=True,
)
print(json.dumps({"cells": sum(cell.cell_type == "code" and cell.execution_count is not None for cell in notebook.cells)}))
