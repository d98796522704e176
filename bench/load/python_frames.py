"""Pages into frames of Python, as a user would: `python python_frames.py NAME URL PAGES`. NAME is pandas or geopandas. Imports do not count."""
import json
import resource
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.request import urlopen

name, url, pages = sys.argv[1], sys.argv[2], int(sys.argv[3])
if name == "pandas":
    import pandas as pd
else:
    import geopandas as gpd


def read(path):
    with urlopen(url + path) as response:
        return json.loads(response.read())["data"]


names = {definition["id"]: definition["name"] for definition in read("/propertyDefinitions")}
cpu, start = time.process_time(), time.perf_counter()
with ThreadPoolExecutor(6) as pool:
    records = [row for page in pool.map(lambda n: read(f"/layerFeatures?_page={n}"), range(1, pages + 1)) for row in page]
if name == "pandas":
    # One level: a geometry stays an object.
    frame = pd.json_normalize(records, max_level=1)
    frame = frame.rename(columns={f"properties.{key}": label for key, label in names.items()})
else:
    features = [
        {
            "geometry": row["geometry"],
            "properties": {
                **{key: value for key, value in row.items() if key not in ("geometry", "properties")},
                **{names.get(key, key): value for key, value in row["properties"].items()},
            },
        }
        for row in records
    ]
    frame = gpd.GeoDataFrame.from_features(features, crs="EPSG:4326")
assert len(frame) == len(records)
print(json.dumps({
    "ms": (time.perf_counter() - start) * 1000,
    "cpuMs": (time.process_time() - cpu) * 1000,
    "rssMb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
}))
