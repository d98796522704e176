import type { ColumnTable } from "arquero";
import { ArgumentError } from "../../core/errors.js";
import { flag, type OptionRules } from "../../core/option-rules.js";
import { type ExportOptions, type ExportTable, exportRules } from "../export/export-table.js";
import { withLayerDatabase } from "./layer-database.js";
import { queryError, refuseNul } from "./query-error.js";
import { resultTable } from "./result-table.js";
import { checkSelects, sandboxHint, shutIn } from "./sandbox.js";
import { sqlNameHint } from "./sql-name-findings.js";
import { sqlNames } from "./sql-names.js";

/** Options of `layer.sql()`. */
export interface LayerSqlOptions extends ExportOptions {
  /**
   * Whether a query can read nothing but the layer: no file, no network, no extension, and no statement but `SELECT`.
   * Default false; give true where a query comes from somebody else.
   */
  readonly sandbox?: boolean | undefined;
}

/** What it takes. */
export const layerSqlRules: OptionRules<LayerSqlOptions> = { sandbox: flag, ...exportRules };

/**
 * Answers a DuckDB query over a frame, which is table `layer`; geometries and other JSON are of type JSON.
 *
 * JSON becomes its value, everything else what `resultTable()` says.
 *
 * @throws ArgumentError with DuckDB's message if the query cannot be run
 */
export async function runSql(frame: ExportTable, query: string, options: LayerSqlOptions = {}): Promise<ColumnTable> {
  const { sandbox = false } = options;
  refuseNul(query);
  return withLayerDatabase(frame, "JSON", async (connection) => {
    try {
      if (sandbox) await shutIn(connection, []);
      if (sandbox) await checkSelects(connection, query);
      return await resultTable(await connection.run(query), { parsesJson: true });
    } catch (cause) {
      if (cause instanceof ArgumentError) throw cause;
      const { renamed } = sqlNames(frame.columns);
      throw queryError("The query cannot be run", query, cause, (message) => {
        return sqlNameHint(message, renamed) ?? (sandbox ? sandboxHint(message) : undefined);
      });
    }
  });
}
