"""Reads a log in CSV: `python read_csv.py PATH ROWS`. Imports do not count."""
import json
import sys
import time

import pandas

path, rows = sys.argv[1], int(sys.argv[2])
start = time.perf_counter()
frame = pandas.read_csv(path, parse_dates=["changed_at"])
ms = (time.perf_counter() - start) * 1000
assert len(frame) == rows
print(json.dumps({"ms": ms}))
