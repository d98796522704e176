# Prints ids and states of a layer in a lake at a date, with tabs, from DuckDB in the Python of reticulate.
# Arguments: Python, the file of the extension, the catalog, the query.
given <- commandArgs(trailingOnly = TRUE)
library(reticulate)
use_python(given[1], required = TRUE)
duckdb <- import("duckdb")
con <- duckdb$connect(config = dict(allow_unsigned_extensions = TRUE))
invisible(con$execute(sprintf("LOAD '%s'", given[2])))
invisible(con$execute(sprintf("ATTACH 'ducklake:%s' AS acme (READ_ONLY); USE acme", given[3])))
rows <- con$execute(given[4])$fetchall()
answer <- data.frame(id = sapply(rows, `[[`, 1), status = sapply(rows, `[[`, 2))
write.table(answer, sep = "\t", quote = FALSE, row.names = FALSE)
