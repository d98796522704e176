import { expect } from "vitest";
import { fromRecords, openSnapshot, pull } from "../../src/index.js";
import { change, dataset, feature } from "../support/records.js";
import { site } from "./moving-service.js";

/** Features that a generation has more than its number. */
export const FIRST_FEATURES = 60;

/** Pulls a generation of a company whose every feature differs from one generation to the next. */
export async function publish(path: string, generation: number): Promise<void> {
  const sites = [1, 2, 3];
  const layerFeatures = Array.from({ length: FIRST_FEATURES + generation }, (_, index) =>
    feature(index + 1, { site_id: 1 + (index % sites.length), visible_id: `G${generation}` }),
  );
  const propertyChanges = Array.from({ length: generation }, (_, index) => change(index + 1));
  const records = { sites: sites.map(site), datasets: [dataset(1, { site_id: null })], layerFeatures, propertyChanges };
  await pull(fromRecords(records), path, { showProgress: false });
}

/** What a read of a snapshot saw. */
export interface SeenGeneration {
  readonly ids: readonly unknown[];
  readonly marks: readonly unknown[];
  readonly changes: number;
}

/** Fails unless a read saw all records of one generation and no others. */
export function expectOneGeneration({ ids, marks, changes }: SeenGeneration): void {
  const generation = Number(String(marks[0]).slice(1));
  expect([...new Set(marks)]).toEqual([`G${generation}`]);
  expect([ids.length, new Set(ids).size, changes]).toEqual([
    FIRST_FEATURES + generation,
    FIRST_FEATURES + generation,
    generation,
  ]);
}

/** Reads a snapshot by our own library. */
export async function readOwn(path: string): Promise<SeenGeneration> {
  const snapshot = await openSnapshot(path);
  try {
    const { table } = await snapshot.layer({ site_id: [1, 2, 3] });
    const changes = await snapshot.sql("SELECT count(*)::INTEGER AS n FROM property_changes");
    return { ids: [...table.array("id")], marks: [...table.array("visible_id")], changes: Number(changes.get("n", 0)) };
  } finally {
    await snapshot.close();
  }
}
