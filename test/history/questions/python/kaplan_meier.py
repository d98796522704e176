"""Reads groups of observations as JSON lines and prints what lifelines makes of each."""

import json
import sys
import warnings

from lifelines import KaplanMeierFitter
from lifelines.exceptions import StatError
from lifelines.utils import median_survival_times

warnings.filterwarnings("ignore")


def number(value):
    return None if value == float("inf") else float(value)


for line in sys.stdin:
    asked = json.loads(line)
    exits, events = asked["exits"], asked["events"]
    entries = asked["entries"] if any(asked["entries"]) else None
    fitter = KaplanMeierFitter(alpha=1 - asked["confidence"])
    try:
        fitter.fit(exits, events, entry=entries)
    except StatError:
        # It refuses late entries that leave nobody at risk early on.
        print("null")
        continue
    survival = fitter.survival_function_.iloc[:, 0]
    lower = fitter.confidence_interval_.iloc[:, 0]
    upper = fitter.confidence_interval_.iloc[:, 1]
    table = fitter.event_table
    # Sums of logarithms may put a half a rounding above it, and the median at the next time.
    medians = [number(median_survival_times(curve.round(12).to_frame())) for curve in (survival, lower, upper)]
    print(
        json.dumps(
            {
                "days": survival.index.tolist(),
                "survival": survival.tolist(),
                "lower": lower.tolist(),
                "upper": upper.tolist(),
                "at_risk": table["at_risk"].tolist(),
                "entered": table["entrance"].tolist(),
                "events": table["observed"].tolist(),
                "censored": table["censored"].tolist(),
                "medians": medians,
            }
        )
    )
