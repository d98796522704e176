"""Prints the distance from each geometry to the nearest of the others, by geopandas in a local projection."""

import json
import sys

import geopandas
from shapely.geometry import shape

with open(sys.argv[1]) as file:
    given = json.load(file)
crs = "+proj=aeqd +lat_0=48 +lon_0=11 +datum=WGS84"
left, right = (
    geopandas.GeoDataFrame(geometry=[shape(geometry) for geometry in given[side]], crs="EPSG:4326").to_crs(crs)
    for side in ("left", "right")
)
joined = left.sjoin_nearest(right, distance_col="meters")
print(json.dumps(joined.groupby(level=0)["meters"].first().tolist()))
