"""Reads the texts of CSV files (JSON) from standard input and prints their rows by csv.reader, without blank lines. Writes a Parquet file whose column names differ only in case."""
import csv
import io
import json
import sys

import pyarrow as pa
import pyarrow.parquet as pq

given = json.load(sys.stdin)
rows = []
for text in given["texts"]:
    lines = list(csv.reader(io.StringIO(text, newline="")))
    rows.append([line for line in lines[1:] if line and (len(line) > 1 or line[0].strip(" "))])
columns = {"id": [1], "To": ["wrong"], "to": ["right"], "at": ["2024-01-01T00:00:00Z"]}
pq.write_table(pa.table(columns), given["parquet"])
print(json.dumps(rows))
