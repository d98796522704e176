"""Reads a layer's Parquet and Arrow exports: `read_types.py PARQUET ARROW` prints types and values as JSON."""

import json
import sys

import geopandas
import polars
import pyarrow.ipc
import pyarrow.parquet

parquet, arrow = sys.argv[1:]

with pyarrow.ipc.open_stream(arrow) as reader:
    tables = [pyarrow.parquet.read_table(parquet), reader.read_all()]


def plain(value):
    return str(value) if hasattr(value, "isoformat") else value


def type_name(kind):
    # The name of a list's items is the writer's to choose.
    return f"list<{kind.value_type}>" if pyarrow.types.is_list(kind) else str(kind)


names = [name for name in tables[1].column_names if name != "geometry"]
frame = geopandas.read_parquet(parquet)
metadata = json.loads(tables[0].schema.metadata[b"geo"])
print(
    json.dumps(
        {
            "schemas": [{name: type_name(table.schema.field(name).type) for name in names} for table in tables],
            "rows": [
                [{key: plain(value) for key, value in row.items()} for row in table.select(names).to_pylist()]
                for table in tables
            ],
            "polars": {name: str(kind) for name, kind in polars.read_parquet(parquet).schema.items()},
            "geo": {
                "version": metadata["version"],
                "crs": frame.crs.to_string(),
                "sum": frame["FLOAT"].sum(),
                "depths": str(frame["FLOAT"].dtype),
            },
        }
    )
)
