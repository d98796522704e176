"""Reads the tables of a snapshot as a user would: `read_tables.py LIBRARY FOLDER` prints the rows as JSON."""

import json
import sys

library, folder = sys.argv[1:]

with open(f"{folder}/manifest.json") as manifest_file:
    manifest = json.load(manifest_file)


def files(table):
    return [f"{folder}/{file['path']}" for file in manifest["files"] if f"/{table}/" in file["path"]]


def with_pandas(table):
    import pandas

    return pandas.read_parquet(files(table)).to_dict("records")


def with_pandas_arrow(table):
    import pandas

    return pandas.read_parquet(files(table), dtype_backend="pyarrow").to_dict("records")


def with_polars(table):
    import polars

    return polars.read_parquet(files(table), hive_partitioning=True).to_dicts()


def with_pyarrow(table):
    import pyarrow.dataset

    return pyarrow.dataset.dataset(files(table), partitioning="hive").to_table().to_pylist()


def with_pyspark(table):
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    rows = spark.read.option("basePath", f"{folder}/files/{table}").parquet(*files(table)).collect()
    return [row.asDict() for row in rows]


def plain(value):
    # A missing value is None, NaN, NaT or NA, as the library has it.
    if value is None or str(value) in ("nan", "NaT", "<NA>"):
        return None
    if isinstance(value, (bytes, bytearray)):
        return value.hex()
    if hasattr(value, "asDict"):
        return value.asDict()
    if hasattr(value, "item"):
        return value.item()
    if hasattr(value, "isoformat"):
        return value.isoformat(timespec="microseconds").replace("+00:00", "")
    return value


read = globals()[f"with_{library}"]
tables = {
    table: sorted(
        ({name: plain(value) for name, value in row.items()} for row in read(table)),
        key=lambda row: row["id"],
    )
    for table in ["layer_features", "property_changes", "sites"]
}
print(json.dumps(tables))
