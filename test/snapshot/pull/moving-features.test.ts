import { join } from "node:path";
import { expect, it } from "vitest";
import type { ResolvedFilters } from "../../../src/api/filters.js";
import type { Reader } from "../../../src/client/read/reader.js";
import { pull } from "../../../src/index.js";
import { Source } from "../../../src/source/source.js";
import { feature } from "../../support/records.js";
import { site } from "../moving-service.js";
import { openedSnapshot } from "../opened-snapshot.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();

/** A source whose sites list these features. A feature of two sites moved while they were read. */
function listing(sites: Readonly<Record<number, readonly number[]>>): Source {
  const records = {
    sites: Object.keys(sites).map((id) => site(Number(id))),
    layerFeatures: Object.entries(sites).flatMap(([id, ids]) =>
      ids.map((one) => feature(one, { site_id: Number(id) })),
    ),
  };
  const reader: Pick<Reader, "origin" | "all" | "records"> = {
    origin: { kind: "memory", name: "moving" },
    all: async () => ({ rows: [], readAt: 0, diagnostics: [] }),
    async *records(resource: string, filters: ResolvedFilters) {
      const sites = filters.get("site_id");
      const all: readonly { readonly site_id?: number | null }[] = Reflect.get(records, resource) ?? [];
      yield* all.filter((row) => sites?.includes(row.site_id ?? null) ?? true) as never[];
    },
  };
  return new Source(reader as Reader);
}

async function sitesOfFeatures(path: string): Promise<Readonly<Record<number, number>>> {
  const { table } = await (await openedSnapshot(path)).layer({ site_id: [1, 2, 3] });
  const places = table.objects().map((row) => [row["id"], row["site_id"]]);
  expect(new Set(table.array("id")).size).toBe(places.length);
  return Object.fromEntries(places);
}

it("keeps a feature once that moved to another site while the sites were read", async () => {
  const path = join(folder, "moving");
  const first = await pull(listing({ 1: [1, 2], 2: [3], 3: [2, 4] }), path);
  expect(first.features.added).toEqual([1, 2, 3, 4]);
  expect(await sitesOfFeatures(path)).toEqual({ 1: 1, 2: 3, 3: 2, 4: 3 });
  const second = await pull(listing({ 1: [1], 2: [3], 3: [1, 2, 4] }), path);
  expect(second.features).toEqual({ added: [], changed: [1], gone: [], returned: [] });
  expect(await sitesOfFeatures(path)).toEqual({ 1: 3, 2: 3, 3: 2, 4: 3 });
});
