import type { DuckDBConnection } from "@duckdb/node-api";
import type { TableSchema } from "../format/table-schema.js";
import type { BadRecord } from "./bad-record.js";

/** Leaves out staged records whose id came before: of records with the same id, the first stays. */
export async function dropDuplicates(
  connection: DuckDBConnection,
  { name, resource }: TableSchema,
  place: string,
  onBad: (bad: BadRecord) => void,
): Promise<void> {
  await connection.run(
    `CREATE TEMP TABLE repeated AS
     SELECT t.line, f.first, t.id FROM ${name} t
     JOIN (SELECT id, min(line) AS first FROM ${name} GROUP BY id HAVING count(*) > 1) f ON f.id = t.id
     WHERE t.line <> f.first`,
  );
  const repeated = await connection.run("SELECT line::DOUBLE, first::DOUBLE, id::VARCHAR FROM repeated ORDER BY line");
  for (const [line, first, id] of await repeated.getRows()) {
    const reason = `id ${String(id)} was given before, in line ${String(first)}`;
    onBad({ resource, place, line: Number(line), reason });
  }
  await connection.run(`DELETE FROM ${name} WHERE line IN (SELECT line FROM repeated); DROP TABLE repeated`);
}
