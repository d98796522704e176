"""Answers SQL on a Spark cluster: lines of JSON in, lines of JSON out. Arguments: address of the master, workers."""

import datetime
import json
import sys
import time

from pyspark.sql import SparkSession

master, workers = sys.argv[1], int(sys.argv[2])
settings = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "700m",
    "spark.executor.memory": "600m",
    "spark.executor.cores": "1",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.ansi.enabled": "true",
    # No answer may depend on it.
    "spark.sql.session.timeZone": "America/St_Johns",
    "spark.ui.enabled": "false",
}
builder = SparkSession.builder.master(master)
for name, value in settings.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("OFF")
EPOCH = datetime.datetime(1970, 1, 1)
MICROSECOND = datetime.timedelta(microseconds=1)


def executors():
    # The driver is one of them.
    return spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1


def plain(value):
    # collect() gives instants in the zone of this process, which is UTC.
    return (value - EPOCH) // MICROSECOND if isinstance(value, datetime.datetime) else value


def answer(sql):
    frame = spark.sql(sql)
    return {"columns": frame.columns, "rows": [[plain(value) for value in row] for row in frame.collect()]}


patience = time.monotonic() + 120
while executors() < workers and time.monotonic() < patience:
    time.sleep(0.2)
print(json.dumps({"executors": executors(), "version": spark.version}), flush=True)
for line in sys.stdin:
    try:
        result = answer(json.loads(line))
    except Exception as error:
        result = {"error": str(error)[:2000]}
    print(json.dumps(result), flush=True)
spark.stop()
