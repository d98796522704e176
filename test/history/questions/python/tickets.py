"""Reads tickets and their changes as JSON and prints what pm4py and pandas make of how long they took and how old they are."""

import json
import sys
import warnings

import numpy as np
import pandas as pd

warnings.filterwarnings("ignore")
real, sys.stdout = sys.stdout, sys.stderr
import pm4py  # It greets on standard output.

sys.stdout = real

asked = json.load(sys.stdin)
day = pd.Timedelta(days=1)
changes = pd.DataFrame(asked["changes"])
changes["time"] = pd.to_datetime(changes["time"], unit="us", utc=True)
created = pd.DataFrame(asked["created"])
created["time"] = pd.to_datetime(created["time"], unit="us", utc=True)
at = pd.Timestamp(asked["at"])

# Each case from its creation to when it was closed for the first time.
done = changes[changes["value"].isin(asked["done"])].groupby("id")["time"].min()
events = pd.concat([created.assign(value="created"), changes]).sort_values("time", kind="stable")
events = events[events["id"].isin(done.index) & (events["time"] <= events["id"].map(done))]
log = pm4py.format_dataframe(events.assign(id=events["id"].astype(str)), "id", "value", "time")
lead = sorted(seconds / 86400 for seconds in pm4py.get_all_case_durations(log))

started = changes[changes["value"].isin(asked["start"])].groupby("id")["time"].min()
cycle = ((done - started) / day).dropna()
cycle = cycle[cycle >= 0]

weeks = pd.date_range(asked["from"], periods=asked["weeks"] + 1, freq="7D", tz="UTC")


def by_week(times):
    return pd.cut(times, weeks, right=False).value_counts(sort=False).tolist()


# The value as of a date, and since when it has been an open one.
changes["open"] = changes["value"].isin(asked["open"])
stretch = changes.groupby("id")["open"].transform(lambda flags: flags.ne(flags.shift()).cumsum())
changes["since"] = changes.groupby(["id", stretch])["time"].transform("min")
dates = pd.DataFrame({"id": created["id"], "time": at}).sort_values(["time", "id"])
last = pd.merge_asof(dates, changes.sort_values("time", kind="stable"), on="time", by="id")
last = last[last["open"].fillna(False).astype(bool)]
ages = (at - last["since"]) / day
buckets = pd.cut(ages, [0, 7, 30, 90, np.inf], include_lowest=True).value_counts(sort=False).tolist()

print(
    json.dumps(
        {
            "lead": lead,
            "cycle": np.quantile(cycle, [0.5, 0.85, 0.95]).tolist(),
            "cycles": len(cycle),
            "arrivals": by_week(created["time"]),
            "throughput": by_week(done),
            "ages": sorted(ages.tolist(), reverse=True),
            "buckets": buckets,
        }
    )
)
