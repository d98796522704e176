"""Reads a stream of Arrow as geopandas does: `read_geoarrow.py STREAM` prints CRS, geometries and their bounds as JSON."""

import json
import sys

import geopandas
import pyarrow.ipc

with pyarrow.ipc.open_stream(sys.argv[1]) as reader:
    frame = geopandas.GeoDataFrame.from_arrow(reader.read_all())

print(
    json.dumps(
        {
            "crs": frame.crs.to_string(),
            "geometries": [None if shape is None else shape.wkt for shape in frame.geometry],
            "bounds": list(frame.total_bounds),
        }
    )
)
