"""Reads questions about business days and hours as JSON lines and prints what pandas' offsets answer."""

import json
import sys

import pandas
from pandas.tseries.offsets import CustomBusinessDay, CustomBusinessHour

for line in sys.stdin:
    asked = json.loads(line)
    days = {"weekmask": asked["weekmask"], "holidays": asked["holidays"]}
    at = pandas.Timestamp(asked["at"])
    hour = CustomBusinessHour(start=asked["start"], end=asked["end"], **days)
    day = CustomBusinessDay(**days)
    spans = pandas.date_range(at.normalize(), pandas.Timestamp(asked["to"]), freq=day)
    print(
        json.dumps(
            {
                "later": (at + asked["hours"] * hour).isoformat(),
                "forward": hour.rollforward(at).isoformat(),
                "days": [one.date().isoformat() for one in spans],
                "isDay": bool(day.is_on_offset(at.normalize())),
            }
        )
    )
