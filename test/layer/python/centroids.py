"""Centroids by shapely of the GeoJSON geometries that come in, one list of [x, y] or null."""

import json
import sys

from shapely.geometry import shape

print(json.dumps([None if s.is_empty else [s.centroid.x, s.centroid.y] for s in map(shape, json.load(sys.stdin))]))
