"""Opens features of a snapshot as a map: `read_features.py FOLDER BOX` prints what geopandas and pyarrow find, as JSON.

BOX is a list of west, south, east and north.
"""

import glob
import json
import sys

import geopandas
import pyarrow.parquet

folder, box = sys.argv[1], json.loads(sys.argv[2])


def shapes(frame):
    return {int(row.id): None if row.geometry is None else row.geometry.wkt for row in frame.sort_values("id").itertuples()}


def boxes(path):
    """The least and the greatest of each side of the boxes, by row group."""
    metadata = pyarrow.parquet.ParquetFile(path).metadata
    groups = [metadata.row_group(index) for index in range(metadata.num_row_groups)]
    return [
        {
            column.path_in_schema: [column.statistics.min, column.statistics.max]
            for column in (group.column(index) for index in range(group.num_columns))
            if column.path_in_schema.startswith("bbox.")
        }
        for group in groups
    ]


files = sorted(glob.glob(f"{folder}/**/*.parquet", recursive=True))
frame = geopandas.read_parquet(folder)
print(
    json.dumps(
        {
            "crs": frame.crs.to_string(),
            "shapes": shapes(frame),
            "sites": sorted({str(site) for site in frame["site_id"]}),
            "inBox": shapes(geopandas.read_parquet(folder, bbox=box)),
            "files": [
                {
                    "inBox": shapes(geopandas.read_parquet(path, bbox=box)),
                    "geo": json.loads(pyarrow.parquet.read_schema(path).metadata[b"geo"]),
                    "rowGroups": boxes(path),
                }
                for path in files
            ],
        }
    )
)
