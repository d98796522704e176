import { expect } from "vitest";
import { type Engine, openSnapshot, type Snapshot } from "../../src/index.js";
import { writeSnapshot } from "../../src/snapshot/write/write-snapshot.js";
import { openEngine } from "./open-engine.js";
import { change, dataset, feature } from "./records.js";

/** Names of columns and of parts of statements, some in another case, and a variable of Spark. */
const keys = ["Date", "STATE", "Sum", "asked", "g", "f", `${"$"}{env:HOME}`];

/** Writes a snapshot of features whose properties have names of result columns. */
export async function writeNameTraps(path: string): Promise<void> {
  const properties = (id: number) => Object.fromEntries(keys.map((key) => [key, `${key}${9 - id}`]));
  await writeSnapshot(path, {
    datasets: [dataset(1)],
    layerFeatures: [1, 2, 3].map((id) => feature(id, { properties: { VOLUME: id, ...properties(id) } })),
    propertyChanges: [1, 2].map((id) =>
      change(id, { property_key: "VOLUME", new_value: id, created_at: `2024-06-0${id}T00:00:00Z` }),
    ),
  });
}

/** Expects an engine to return the rows of DuckDB in the same order. */
export async function expectSameDatedTexts(path: string, engine: Engine): Promise<void> {
  const own = await openEngine(path);
  const snapshot = await openSnapshot(path);
  try {
    expect(await textRows(snapshot, engine)).toEqual(await textRows(snapshot, own));
  } finally {
    await own.close();
    await snapshot.close();
  }
}

async function textRows(snapshot: Snapshot, engine: Engine): Promise<Record<string, readonly string[]>> {
  const questions = await snapshot.lazyHistory({ site_id: 12 }, { engine });
  const dates = ["2024-06-02", "2024-06-01"];
  const asked = [
    ["panel", questions.panel(dates)] as const,
    ["reconcile", questions.reconcile()] as const,
    ["totals", questions.totals("VOLUME", dates)] as const,
    ...keys.flatMap((by) => [
      [`counts by ${by}`, questions.counts("VOLUME", dates, { by })] as const,
      [`totals by ${by}`, questions.totals("VOLUME", dates, { by })] as const,
    ]),
  ];
  const found: Record<string, string[]> = {};
  for (const [name, answer] of asked) {
    const lines: string[] = [];
    for await (const { rowCount, columns } of engine.query(await answer.toSQL())) {
      for (let row = 0; row < rowCount; row += 1) lines.push(columns.map((column) => String(column[row])).join(" | "));
    }
    found[name] = lines;
  }
  return found;
}
