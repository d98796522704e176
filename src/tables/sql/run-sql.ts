import type { ColumnTable } from "arquero";
import { columnKinds } from "../../api/property-types.js";
import { SiteframeError } from "../../core/errors.js";
import { flag, type OptionRules } from "../../core/options.js";
import { type ExportColumn, type ExportOptions, type ExportTable, exportRules } from "../export/export-table.js";
import { instantTexts, jsonText } from "../export/export-values.js";
import { type GeometryForm, withLayerDatabase } from "./layer-database.js";
import { queryError, refuseNul } from "./query-error.js";
import { resultTable } from "./result-table.js";
import { checkCalls, checkSelects, sandboxHint, shutIn } from "./sandbox.js";
import type { SandboxProcesses } from "./sandbox-process.js";
import { sqlNameHint, sqlNames } from "./sql-names.js";

/** Options of `layer.sql()`. */
export interface LayerSqlOptions extends ExportOptions {
  /**
   * Whether to run the query in a sandbox that can read nothing but the layer: no files, network or extensions, and
   * only `SELECT` statements. Use true for queries from other authors. Default: false.
   */
  readonly sandbox?: boolean | undefined;
}

/** Rules for the options. */
export const layerSqlRules: OptionRules<LayerSqlOptions> = { sandbox: flag, ...exportRules };

/**
 * Runs a DuckDB query over a frame, which is table `layer`; geometries and other JSON have the type JSON.
 *
 * JSON is parsed; other values are converted as in `resultTable()`.
 *
 * @throws QueryError with DuckDB's message if the query fails
 */
export async function runSql(frame: ExportTable, query: string, options: LayerSqlOptions = {}): Promise<ColumnTable> {
  refuseNul(query);
  if (!options.sandbox) return runQuery(frame, "JSON", query, false);
  const { SandboxProcesses, receivedTable } = await import("./sandbox-process.js");
  processes ??= new SandboxProcesses();
  const job: SentLayer = { query, frame: { rowCount: frame.rowCount, columns: frame.columns.map(sentColumn) } };
  const { table } = await processes.run(job);
  if (!table) throw new TypeError("a query without a table");
  return receivedTable(table);
}

/** Shared by all layers: processes are kept a while for the next query, and do not keep a finished program alive. */
let processes: SandboxProcesses | undefined;

/** A query about a layer for a separate process, as plain data. */
export interface SentLayer {
  readonly query: string;
  readonly frame: { readonly rowCount: number; readonly columns: readonly SentColumn[] };
}

/** A column of a layer. */
interface SentColumn extends Omit<ExportColumn, "values"> {
  /** Geometries and other JSON as text, instants as text to the microsecond. */
  readonly values: readonly unknown[];
}

function sentColumn({ name, kind, key, values }: ExportColumn): SentColumn {
  if (kind === "instant") return { name, kind, key, values: instantTexts(values) };
  const isJson = columnKinds[kind].sql === "JSON";
  const plain = (value: unknown) => (value === null || value === undefined ? null : isJson ? jsonText(value) : value);
  return { name, kind, key, values: Array.from(values, plain) };
}

/** Runs a query in its process: see `SandboxProcesses`. */
export function runSandboxed(frame: ExportTable, query: string): Promise<ColumnTable> {
  return runQuery(frame, "TEXT", query, true);
}

async function runQuery(frame: ExportTable, form: GeometryForm, query: string, sandbox: boolean): Promise<ColumnTable> {
  return withLayerDatabase(frame, form, async (connection) => {
    try {
      if (sandbox) await shutIn(connection, []);
      if (sandbox) await checkCalls(connection, query);
      if (sandbox) await checkSelects(connection, query);
      return await resultTable(await connection.run(query), { parsesJson: true });
    } catch (cause) {
      if (cause instanceof SiteframeError) throw cause;
      const { renamed } = sqlNames(frame.columns);
      throw queryError("The query cannot be run", query, cause, (message) => {
        return sqlNameHint(message, renamed) ?? (sandbox ? sandboxHint(message) : undefined);
      });
    }
  });
}
