"""Reads a workbook with openpyxl and validates it; prints its cells as JSON. Warnings are errors."""

import json
import sys
import warnings

warnings.simplefilter("error")

import openpyxl
from openxml_audit import OpenXmlValidator

path = sys.argv[1]
book = openpyxl.load_workbook(path)
sheets = [
    {
        "name": sheet.title,
        "frozen": sheet.freeze_panes,
        "filter": sheet.auto_filter.ref,
        "fitToPage": sheet.sheet_properties.pageSetUpPr.fitToPage,
        "titleRows": sheet.print_title_rows,
        "rows": [
            [[type(cell.value).__name__, str(cell.value), cell.number_format] for cell in row]
            for row in sheet.iter_rows()
        ],
    }
    for sheet in book
]
properties = {"title": book.properties.title, "subject": book.properties.subject}
# Themes are optional in ISO/IEC 29500-1; the validator expects one. Colors and fonts of these workbooks need none.
found = [f"{error.part_uri}: {error.description}" for error in OpenXmlValidator().validate(path).errors]
errors = [error for error in found if "relationships/theme" not in error]
print(json.dumps({"sheets": sheets, "properties": properties, "errors": errors}))
