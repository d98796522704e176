import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ResolvedFilters } from "../../../src/api/filters.js";
import type { Records, ResourceName } from "../../../src/api/resources.js";
import { pull } from "../../../src/index.js";
import { MemoryReader } from "../../../src/source/from-records.js";
import { Source } from "../../../src/source/source.js";
import { dataset, feature } from "../../support/records.js";
import { site } from "../moving-service.js";
import { openedSnapshot } from "../opened-snapshot.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();
const records = {
  sites: [site(1)],
  datasets: [dataset(1, { site_id: 1 })],
  layerFeatures: [feature(1, { site_id: 1 })],
};

/** Reads records in memory, and lets a test delay or refuse the read of a resource. */
class HeldReader extends MemoryReader {
  readonly begun: ResourceName[] = [];
  readonly #before: (resource: ResourceName) => Promise<unknown> | undefined;

  constructor(before: (resource: ResourceName, reader: HeldReader) => Promise<unknown> | undefined) {
    super(records, Date.parse("2025-06-01T00:00:00Z"));
    this.#before = (resource) => before(resource, this);
  }

  override async *records<R extends ResourceName>(resource: R, filters: ResolvedFilters): AsyncIterable<Records[R]> {
    this.begun.push(resource);
    await this.#before(resource);
    yield* super.records(resource, filters);
  }
}

describe("the small tables of a pull", () => {
  it("are read concurrently", async () => {
    const path = join(folder, "side-by-side");
    const reader = new HeldReader((resource, { begun }) =>
      resource === "sites" ? expect.poll(() => begun).toContain("propertyDefinitions") : undefined,
    );
    await pull(new Source(reader), path);
    expect((await (await openedSnapshot(path)).sites()).numRows()).toBe(1);
  });

  it("are read in sequence if one request is allowed at a time", async () => {
    let underWay = 0;
    const reader = new HeldReader(async () => {
      underWay += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(underWay).toBe(1);
      underWay -= 1;
    });
    await pull(new Source(reader), join(folder, "in-turn"), { concurrency: 1 });
    expect(reader.begun.slice(0, 5)).toEqual(["sites", "operations", "blocks", "datasets", "datasets"]);
  });

  it("are read to the end before the pull reports that one failed", async () => {
    const path = join(folder, "failed");
    let isOver = false;
    const reader = new HeldReader(async (resource) => {
      if (resource === "operations") throw new Error("No operations today.");
      if (resource !== "sites") return;
      await new Promise((resolve) => setTimeout(resolve, 300));
      isOver = true;
    });
    await expect(pull(new Source(reader), path)).rejects.toThrow("No operations today.");
    expect(isOver).toBe(true);
    expect(existsSync(join(path, "manifest.json"))).toBe(false);
  });
});
