"""Reads a layer's exports as a user would: `read_exports.py PARQUET ARROW` prints what it found as JSON."""

import json
import sys

import geopandas
import pyarrow.ipc

parquet, arrow = sys.argv[1:]

frame = geopandas.read_parquet(parquet)
print(
    json.dumps(
        {
            "crs": frame.crs.to_string(),
            "types": [None if shape is None else shape.geom_type for shape in frame.geometry],
            "areas": [None if shape is None else shape.area for shape in frame.geometry],
            "ids": frame["id"].tolist(),
            "depths": [None if value != value else value for value in frame["Depth"].tolist()],
            "created": [value.isoformat() for value in frame["created_at"]],
        }
    )
)

with pyarrow.ipc.open_stream(arrow) as reader:
    table = reader.read_all()


def plain(value):
    return value.hex() if isinstance(value, bytes) else str(value) if hasattr(value, "isoformat") else value


print(
    json.dumps(
        {
            "types": {name: str(table.schema.field(name).type) for name in table.column_names},
            "rows": [
                {key: plain(value) for key, value in row.items()}
                for row in table.to_pylist()
            ],
        }
    )
)
