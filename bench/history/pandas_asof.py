"""pandas over the same columns: one date, a DataFrame of features with five columns, by merge_asof.

Sorting by time and splitting by property are done before, as the index is on the other side. Values stay codes, which
spares pandas the texts. The faster of two programs counts: a merge a property, or one of all cells.
"""
import json
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

folder, FEATURES, KEYS = Path(sys.argv[1]), int(sys.argv[2]), 5
read = lambda name, kind: np.fromfile(folder / f"{name}.bin", kind)
at = int((folder / "one-date.txt").read_text())
log = pd.DataFrame({
    "feature": read("feature", np.int32),
    "key": read("key", np.uint8),
    "value": read("value", np.int32),
    "us": read("timeUs", np.float64).astype(np.int64),
})
# Ids rise with the rows: a stable sort by time keeps their order among ties.
log = log.sort_values("us", kind="stable")
features = pd.DataFrame({"feature": np.arange(FEATURES, dtype=np.int32), "us": at})
by_key = [
    own[["feature", "us", "value"]].rename(columns={"value": key}).reset_index(drop=True)
    for key, own in log.groupby("key")
]
cells = pd.DataFrame({"cell": log["feature"].astype(np.int64) * KEYS + log["key"], "us": log["us"], "value": log["value"]})
all_cells = pd.DataFrame({"cell": np.arange(FEATURES * KEYS), "us": at})


def merge_each():
    table = features
    for own in by_key:
        table = pd.merge_asof(table, own, on="us", by="feature")
    return table[list(range(KEYS))]


def merge_once():
    values = pd.merge_asof(all_cells, cells, on="us", by="cell")["value"]
    return pd.DataFrame(values.to_numpy().reshape(FEATURES, KEYS))


def measure(run):
    times = []
    for _ in range(3):
        start = time.perf_counter()
        answer = run()
        times.append((time.perf_counter() - start) * 1000)
    codes = answer.fillna(0).to_numpy().astype(np.int64).ravel()
    cell = np.flatnonzero(codes)
    return sorted(times)[1], int(((cell % 999_983) * (codes[cell] + 3) % 1_000_003).sum())


each, hash_each = measure(merge_each)
once, hash_once = measure(merge_once)
assert hash_each == hash_once
print(json.dumps({
    "ms": {"asOf": min(each, once)},
    "hash": {"asOf": hash_each},
}))
