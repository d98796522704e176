"""Prints what GeoPandas reads of a folder of features, as JSON, and what it says where nobody tells it what a site is."""

import json
import sys

import geopandas
import pyarrow
import pyarrow.dataset

site = pyarrow.dataset.partitioning(pyarrow.schema([("site_id", pyarrow.int64())]), flavor="hive")
places = geopandas.read_parquet(sys.argv[1], partitioning=site)
try:
    geopandas.read_parquet(sys.argv[1])
    refused = []
except pyarrow.ArrowInvalid as error:
    refused = [str(error)]
answer = {"rows": len(places), "sites": int(places.site_id.count()), "crs": str(places.crs), "refused": refused}
print(json.dumps(answer))
