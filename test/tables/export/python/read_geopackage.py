"""Reads a GeoPackage as a user would: `read_geopackage.py FILE` prints what it found as JSON."""

import json
import sys

import geopandas
import pyogrio

(path,) = sys.argv[1:]

frame = geopandas.read_file(path)
info = pyogrio.read_info(path)
print(
    json.dumps(
        {
            "layers": pyogrio.list_layers(path).tolist(),
            "crs": frame.crs.to_string(),
            "bounds": frame.total_bounds.tolist(),
            "shapes": [None if shape is None else shape.wkt for shape in frame.geometry],
            "types": dict(zip(info["fields"].tolist(), info["dtypes"].tolist(), strict=True)),
            "cost": frame["Cost"].sum(),
            "seen": frame["Seen"][0].isoformat(),
            "day": frame["Day"][0].date().isoformat(),
        }
    )
)
