"""Executes a notebook with nbclient, then once more with nbconvert, and prints how many cells ran."""

import json
import subprocess
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

source, target = sys.argv[1:3]
notebook = nbformat.read(source, as_version=4)
# A kernel runs in its notebook's folder, as Jupyter and nbconvert have it.
place = {"metadata": {"path": str(Path(source).parent)}}
NotebookClient(notebook, timeout=120, kernel_name="siteframe", resources=place).execute()
nbformat.validate(notebook)
subprocess.run(
    [sys.executable, "-m", "nbconvert", "--to", "html", "--execute", "--ExecutePreprocessor.kernel_name=siteframe"]
    + ["--ExecutePreprocessor.timeout=120", "--output", target, source],
    check=True,
)
print(json.dumps({"cells": sum(cell.cell_type == "code" and cell.execution_count is not None for cell in notebook.cells)}))
