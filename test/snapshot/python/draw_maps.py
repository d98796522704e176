"""Prints what Lonboard draws of files, one JSON line each: the kind of its layer, and how many features are on it."""

import json
import pathlib
import sys

import geopandas
import lonboard
import pyarrow.ipc
import pyarrow.parquet


def opened(path):
    if path.is_dir():
        places = geopandas.read_parquet(path, columns=["semantic_type", "geometry"])
        return places[places["semantic_type"] == sys.argv[1]]
    if path.suffix == ".arrows":
        return pyarrow.ipc.open_stream(path.read_bytes()).read_all()
    return pyarrow.parquet.read_table(path)


for name in sys.argv[2:]:
    [layer] = lonboard.viz(opened(pathlib.Path(name))).layers
    print(json.dumps({"kind": type(layer).__name__, "features": len(layer.table)}))
