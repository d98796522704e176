import type { DuckDBConnection, DuckDBType } from "@duckdb/node-api";
import { type Diagnostic, withSeverity } from "../../core/diagnostic.js";
import { readSafely } from "../../core/show-value.js";
import { geoParquetMetadata } from "../export/geoparquet.js";
import { readWkb, sharedWkb } from "../export/wkb.js";
import { loadDuckDB } from "./load-duckdb.js";
import { quotedName } from "./sql-names.js";
import { sqlText, TO_PARQUET } from "./sql-text.js";

const copyFormats = {
  csv: "FORMAT csv, HEADER",
  json: "FORMAT json, ARRAY true",
  parquet: TO_PARQUET,
} as const;

/** File format for the result of a query. */
export type WriteFormat = keyof typeof copyFormats;

/**
 * Writes the result of a SELECT to a file. Geometries are columns of DuckDB's type GEOMETRY, and GeoJSON in a column
 * called `geometry`, as in views. Parquet with geometries is GeoParquet; CSV and JSON have GeoJSON as text.
 *
 * @returns diagnostics about values that are not geometries, which are null in GeoParquet
 */
export async function copySelect(
  connection: DuckDBConnection,
  select: string,
  path: string,
  format: WriteFormat,
): Promise<readonly Diagnostic[]> {
  const columns = await geometryColumns(connection, select);
  const functions = columns.length === 0 ? undefined : await GeometryFunctions.register(connection);
  const replaced = columns.flatMap(({ name, form }) => {
    const value = functions?.expression(quotedName(name), form, format);
    return value === undefined ? [] : [`${value} AS ${quotedName(name)}`];
  });
  const from = replaced.length === 0 ? select : `SELECT * REPLACE (${replaced.join()}) FROM (\n${select}\n)`;
  // Neither types nor extents are known before the rows are read, but the file starts with them: GeoParquet does not
  // require them.
  const geo = geoParquetMetadata(columns.map(({ name }) => ({ name, types: [], extent: undefined })));
  const metadata =
    format === "parquet" && geo !== undefined ? `, GEOPARQUET_VERSION 'NONE', KV_METADATA {geo: ${sqlText(geo)}}` : "";
  await connection.run(
    `COPY (\n${from}\n) TO ${sqlText(path)} (${copyFormats[format]}${metadata}, USE_TMP_FILE false)`,
  );
  return functions?.diagnostics() ?? [];
}

/** Type of the geometries of a column. */
type Form = "GEOMETRY" | "JSON";

interface GeometryColumn {
  readonly name: string;
  readonly form: Form;
}

async function geometryColumns(connection: DuckDBConnection, select: string): Promise<readonly GeometryColumn[]> {
  // COPY itself rejects input that is not a single statement, with a suitable message.
  if ((await connection.extractStatements(select).catch(() => undefined))?.count !== 1) return [];
  const prepared = await connection.prepare(select);
  const columns = Array.from({ length: prepared.columnCount }, (_, index) => {
    const name = prepared.columnName(index);
    return { name, form: formOf(name, prepared.columnType(index)) };
  });
  prepared.destroySync();
  return columns.filter((column): column is GeometryColumn => column.form !== undefined);
}

function formOf(name: string, type: DuckDBType): Form | undefined {
  const typeName = String(type);
  if (typeName.startsWith("GEOMETRY")) return "GEOMETRY";
  return name === "geometry" && typeName === "VARCHAR" ? "JSON" : undefined;
}

let registered = 0;

/**
 * SQL functions that convert geometries. They count the values that they cannot convert, so each statement has its own.
 */
class GeometryFunctions {
  readonly #number: number;
  #refused = 0;

  private constructor(number: number) {
    this.#number = number;
  }

  static async register(connection: DuckDBConnection): Promise<GeometryFunctions> {
    const { BLOB, blobValue, DuckDBBlobValue, DuckDBScalarFunction, VARCHAR } = await loadDuckDB();
    registered += 1;
    const functions = new GeometryFunctions(registered);
    const register = (
      name: string,
      [from, to]: readonly [DuckDBType, DuckDBType],
      convert: (value: unknown) => Uint8Array | string | null,
    ) => {
      connection.registerScalarFunction(
        DuckDBScalarFunction.create({
          name: `${name}_${functions.#number}`,
          parameterTypes: [from],
          returnType: to,
          mainFunction(_, input, output) {
            const values = input.getColumnVector(0);
            for (let row = 0; row < input.rowCount; row += 1) {
              const value: unknown = values.getItem(row);
              const converted = value === null ? null : convert(value);
              output.setItem(row, converted instanceof Uint8Array ? blobValue(converted) : converted);
            }
            output.flush();
          },
        }),
      );
    };
    register("siteframe_wkb", [VARCHAR, BLOB], (text) => functions.#wkb(String(text)));
    register("siteframe_geojson", [BLOB, VARCHAR], (value) =>
      value instanceof DuckDBBlobValue ? JSON.stringify(readWkb(value.bytes)) : null,
    );
    return functions;
  }

  #wkb(text: string): Uint8Array | null {
    const value = readSafely(() => JSON.parse(text) as unknown, undefined);
    if (value === null) return null;
    const wkb = sharedWkb(value);
    if (!wkb) this.#refused += 1;
    return wkb?.bytes ?? null;
  }

  /** The value of a column in a format; undefined if it is the same. */
  expression(column: string, form: Form, format: WriteFormat): string | undefined {
    if (format === "parquet") {
      return form === "GEOMETRY" ? `ST_AsWKB(${column})` : `siteframe_wkb_${this.#number}(${column}::VARCHAR)`;
    }
    return form === "JSON" ? undefined : `siteframe_geojson_${this.#number}(ST_AsWKB(${column}))`;
  }

  diagnostics(): readonly Diagnostic[] {
    const count = this.#refused;
    if (count === 0) return [];
    const [values, are] = count === 1 ? ["value", "is not a valid geometry"] : ["values", "are not valid geometries"];
    const message = `${count} ${values} of "geometry" ${are}: null in the file. To keep them, write CSV or JSON.`;
    return [withSeverity({ code: "geometry-malformed", message, count, facts: { column: "geometry" } })];
  }
}
