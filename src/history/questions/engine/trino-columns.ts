import { ProtocolError } from "../../../core/errors.js";
import type { EngineRows } from "./engine.js";
import type { TrinoColumn, TrinoPage } from "./trino-page.js";
import type { TrinoServer } from "./trino-server.js";

type Read = (cell: unknown) => unknown;

/** What a cell is not when its column's type is right. */
const wrong = Symbol("wrong");

const integer: Read = (cell) => (Number.isSafeInteger(cell) || typeof cell === "bigint" ? cell : wrong);

/** JSON has no such numbers: Trino writes them as texts. */
const unwritten: Readonly<Record<string, number>> = { NaN: Number.NaN, Infinity, "-Infinity": -Infinity };

const float: Read = (cell) => (typeof cell === "number" ? cell : (unwritten[String(cell)] ?? wrong));
const text: Read = (cell) => (typeof cell === "string" ? cell : wrong);
const flag: Read = (cell) => (typeof cell === "boolean" ? cell : wrong);

const readers: Readonly<Record<string, Read>> = {
  bigint: integer,
  integer,
  smallint: integer,
  tinyint: integer,
  double: float,
  real: float,
  boolean: flag,
  varchar: text,
  char: text,
};

/**
 * Rows of an answer as columns: integers as bigint where a number would round them. Values of types that JSON does not
 * have (decimals, dates) stay as Trino writes them.
 *
 * @throws ProtocolError for a cell that is not of its column's type
 */
export function trinoColumns(server: TrinoServer, { columns, rows, queryId }: TrinoPage): EngineRows {
  return {
    rowCount: rows.length,
    columns: columns.map((column, index) => {
      const read = readers[column.type.replace(/\(.*/s, "")];
      return rows.map((row, number) => {
        const cell = row[index];
        if (cell === null || read === undefined) return cell;
        const value = read(cell);
        if (value === wrong) throw wrongCell(server, column, `$.data[${number}][${index}]`, queryId, cell);
        return value;
      });
    }),
  };
}

function wrongCell(
  server: TrinoServer,
  { name, type }: TrinoColumn,
  path: string,
  queryId: string,
  cell: unknown,
): ProtocolError {
  return new ProtocolError(
    `${server.name} answered query ${queryId} with a ${typeof cell} in column ${JSON.stringify(name)} of type ${type}.`,
    path,
    { facts: { engine: server.name, query_id: queryId, column: name, type } },
  );
}
