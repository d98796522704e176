"""Reads a log in XES and prints its events, and what pm4py, jira-agile-metrics and pandas make of how it flows, as JSON."""

import json
import sys
import types
import warnings

import numpy as np
import pandas as pd

warnings.filterwarnings("ignore")
real, sys.stdout = sys.stdout, sys.stderr
import pm4py  # It greets on standard output.

# jira-agile-metrics 0.24 was written for pandas 1 and numpy 1: what it calls by names that are gone.
np.NaN = np.nan
fill = pd.DataFrame.fillna
pd.DataFrame.fillna = lambda self, value=None, method=None, axis=None: (
    self.bfill(axis=axis) if method == "bfill" else fill(self, value)
)
from jira_agile_metrics.calculators.ageingwip import AgeingWIPChartCalculator
from jira_agile_metrics.calculators.cfd import calculate_cfd_data
from jira_agile_metrics.calculators.cycletime import CycleTimeCalculator, calculate_cycle_times
from jira_agile_metrics.calculators.percentiles import PercentilesCalculator
from jira_agile_metrics.calculators.throughput import calculate_throughput

sys.stdout = real

asked = json.load(sys.stdin)
day = pd.Timedelta(days=1)
[case, activity, time] = ["case:concept:name", "concept:name", "time:timestamp"]
log = pm4py.read_xes(asked["path"])[[case, activity, time]]
log[time] = log[time].dt.tz_convert("UTC")
raw = log = log.sort_values(time, kind="stable")
# One value at a time: of several events at once the last one stands, as it does in a status.
log = log.drop_duplicates([case, time], keep="last")
# What says the same again is no change.
log = log[log[activity] != log.groupby(case)[activity].shift()]
until = log[time].max().ceil("D")
isDone = log[activity].isin(asked["done"])
firstDone = log[isDone].groupby(case)[time].min()
lastOpen = log[~isDone].groupby(case)[time].max()
# Cases that go on after they were done for the first time.
returned = set(firstDone.index[firstDone < lastOpen.reindex(firstDone.index)])
# What keeps tools from asking the same, by case: done from its first value on, done without being seen to begin, and
# first seen in another status than the one in which cases arrive.
firsts = log.groupby(case).head(1)
doneAtFirst = set(firsts.loc[firsts[activity].isin(asked["done"]), case])
began = log[log[activity].isin(asked["start"])].groupby(case)[time].min()
notBegun = {name for name, stamp in firstDone.items() if not began.get(name, until) < stamp}
elsewhere = set(firsts.loc[~firsts[activity].isin(asked["arrival"]), case])


def durations(events, **options):
    """By case: pm4py's list is in order of length."""
    return {
        name: pm4py.get_all_case_durations(own, **options)[0] for name, own in events.groupby(case)
    }


def of_pm4py():
    done = log[log[case].isin(firstDone.index)]
    prefixes = done[done[time] <= done[case].map(firstDone)]
    return {
        "lead": durations(prefixes),
        "working": durations(prefixes, business_hours=True),
        "arrivalAverage": pm4py.get_case_arrival_average(log),
    }


class Clock:
    """A time that stands for its date: jira-agile-metrics counts whole dates, and here to the microsecond."""

    def __init__(self, stamp):
        self.stamp = stamp

    def date(self):
        return self.stamp


class Jira:
    """What its query manager gives of cases as issues."""

    jira = types.SimpleNamespace(_options={"server": ""})

    def __init__(self, events):
        self.events = dict(list(events.groupby(case)))

    def find_issues(self, _):
        named = types.SimpleNamespace(name="")
        for name in self.events:
            fields = types.SimpleNamespace(
                issuetype=named, summary="", status=named, resolution=None, resolutiondate=None
            )
            yield types.SimpleNamespace(key=name, fields=fields)

    def iter_changes(self, issue, _):
        own = self.events[issue.key]
        before = None
        for value, stamp in zip(own[activity], own[time]):
            yield types.SimpleNamespace(
                change="status", date=Clock(stamp.tz_localize(None)), from_string=before, to_string=value
            )
            before = value


def of_jira(events):
    # Statuses that are in no step are ignored: an item stays in its step.
    cycle = [
        {"name": "Open", "statuses": asked["arrival"], "type": "backlog"},
        {"name": "Begun", "statuses": asked["start"], "type": "accepted"},
        {"name": "Done", "statuses": asked["done"], "type": "complete"},
    ]
    data = calculate_cycle_times(Jira(events), cycle, {}, "Open", "Done", [{"jql": ""}], now=until)
    settings = {
        "cycle": cycle,
        "quantiles": [0.5, 0.85, 0.95],
        "ageing_wip_chart": "a",
        **{"committed_column": "Begun", "final_column": "Begun", "done_column": "Done"},
    }
    results = {CycleTimeCalculator: data}
    # Weeks that end on Sundays.
    throughput = calculate_throughput(data, "W-SUN")
    flow = calculate_cfd_data(data, ["Open", "Begun", "Done"])
    wip = flow["Begun"] - flow["Done"]
    ages = AgeingWIPChartCalculator(None, settings, results).run(today=until.date())
    percentiles = PercentilesCalculator(None, settings, results).run()
    timed = data.dropna(subset=["cycle_time"])
    return {
        "cycle": dict(zip(timed["key"], timed["cycle_time"] / day)),
        "throughput": [[stamp.strftime("%Y-%m-%d"), int(count)] for stamp, count in throughput["count"].items()],
        "wip": [[stamp.strftime("%Y-%m-%d"), int(count)] for stamp, count in wip.items()],
        "arrivals": [[stamp.strftime("%Y-%m-%d"), int(count)] for stamp, count in flow["Open"].diff().items() if count == count],
        "ages": dict(zip(ages["key"], [int(age) for age in ages["age"]])),
        "percentiles": [value / day for value in percentiles],
    }


def of_pandas():
    """How long each case had a blocked value from when it was begun until it was done for the first time."""
    events = log.copy()
    events["end"] = events.groupby(case)[time].shift(-1)
    events = events[events[case].isin(firstDone.index) & events[case].isin(began.index)]
    events = events[(events[time] >= events[case].map(began)) & (events[time] < events[case].map(firstDone))]
    waits = events[events[activity].isin(asked["blocked"])]
    spent = ((waits["end"] - waits[time]) / day).groupby(waits[case]).sum()
    return {name: float(spent.get(name, 0)) for name in events[case].unique()}


same = log[~log[case].isin(returned | notBegun | elsewhere)]
print(
    json.dumps(
        {
            "rows": [
                {"id": name, "value": value, "time": stamp.isoformat(), "place": place}
                for place, (name, value, stamp) in enumerate(zip(raw[case], raw[activity], raw[time]))
            ],
            "until": until.isoformat(),
            "returned": sorted(returned),
            "doneAtFirst": sorted(doneAtFirst),
            "notBegun": sorted(notBegun),
            "elsewhere": sorted(elsewhere),
            "pm4py": of_pm4py(),
            "jira": of_jira(same),
            "jiraOfAll": of_jira(log)["cycle"],
            "blocked": of_pandas(),
        }
    )
)
