"""merge_asof of pandas over the same columns: one date, every cell."""
import json
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

folder = Path(sys.argv[1])
read = lambda name, kind: np.fromfile(folder / f"{name}.bin", kind)
log = pd.DataFrame({
    "cell": read("feature", np.int32).astype(np.int64) * 5 + read("key", np.uint8),
    "value": read("value", np.int32),
    "us": read("timeUs", np.float64).astype(np.int64),
})
at = int((folder / "one-date.txt").read_text())
# Ids rise with the rows: a stable sort by time keeps their order among ties.
log = log.sort_values("us", kind="stable")
wanted = pd.DataFrame({"cell": np.arange(1_000_000), "us": at})
times = []
for _ in range(5):
    start = time.perf_counter()
    answer = pd.merge_asof(wanted, log, on="us", by="cell")
    times.append((time.perf_counter() - start) * 1000)
known = answer[answer["value"] > 0]
cell, code = known["cell"].to_numpy(), known["value"].to_numpy().astype(np.int64)
print(json.dumps({
    "variant": "pandas",
    "ms": {"asOf": sorted(times)[2]},
    "hash": {"asOf": int((((cell % 999_983) * (code + 3)) % 1_000_003).sum())},
}))
