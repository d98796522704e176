"""Reads acme.snapshot in the working folder again and again, as the guide for Python does, until standard input ends.

Prints the number of reads after every 20 of them, and stops with an error at a read that does not see exactly one generation.
"""

import itertools
import sys
import threading

import duckdb
import geopandas
import pandas
import polars
import pyarrow
import pyarrow.dataset

FIRST_FEATURES = int(sys.argv[1])
site = pyarrow.dataset.partitioning(pyarrow.schema([("site_id", pyarrow.int64())]), flavor="hive")
columns = ["id", "visible_id"]


# Code of the guides: Python that defines files(), and SQL that defines files_of().
STATEMENTS = sys.argv[3]
LISTING = compile(sys.argv[2], "guide", "exec")


def listed():
    names = {"polars": polars}
    exec(LISTING, names)
    return names["files"]


def by_polars():
    files = listed()
    read = lambda table: polars.read_parquet(files(table), hive_partitioning=True)
    return read("layer_features").select(columns).to_pandas(), len(read("property_changes"))


def by_pandas():
    files = listed()
    changes = pandas.read_parquet(files("property_changes"), columns=["id"])
    return pandas.read_parquet(files("layer_features"), columns=columns), len(changes)


def by_geopandas():
    files = listed()
    places = geopandas.read_parquet(files("layer_features"), partitioning=site)
    return places[columns], len(pandas.read_parquet(files("property_changes"), columns=["id"]))


def by_pyarrow():
    files = listed()
    read = lambda table: pyarrow.dataset.dataset(files(table), partitioning=site)
    return read("layer_features").to_table(columns=columns).to_pandas(), read("property_changes").count_rows()


def by_duckdb():
    con = duckdb.connect()
    con.execute(STATEMENTS)
    features = con.sql("SELECT id, visible_id FROM read_parquet(files_of('layer_features'), hive_partitioning = true)")
    changes = con.sql("SELECT count(*) FROM read_parquet(files_of('property_changes'), hive_partitioning = true)")
    return features.df(), changes.fetchone()[0]


def check(reader, features, changes):
    marks = set(features["visible_id"])
    seen = f"{reader.__name__}: {len(features)} features, {features['id'].nunique()} ids, {changes} changes, {marks}"
    assert len(marks) == 1, seen
    generation = int(marks.pop().removeprefix("G"))
    assert len(features) == features["id"].nunique() == FIRST_FEATURES + generation, seen
    assert changes == generation, seen


ended = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
first = listed()("layer_features")
before = len(polars.read_parquet(first))

for reads, reader in enumerate(itertools.cycle([by_polars, by_pandas, by_geopandas, by_pyarrow, by_duckdb]), start=1):
    check(reader, *reader())
    if reads % 20 == 0:
        print(reads, flush=True)
    if ended.is_set():
        break

# The files that were listed before the first publication are as they were.
assert len(polars.read_parquet(first)) == before
print("all well", flush=True)
