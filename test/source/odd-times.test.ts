import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { connect, type Diagnostic, fromRecords, openSnapshot, pull, type Source } from "../../src/index.js";
import { importNdjson } from "../../src/snapshot/ndjson/ndjson-files.js";
import { site } from "../snapshot/moving-service.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { change, dataset, feature, uuid } from "../support/records.js";
import { serveRecords } from "../support/serve-records.js";

const folder = temporaryFolder();
let count = 0;

type Company = Parameters<typeof fromRecords>[0];

const company = (over: Company): Company => ({
  sites: [site(12)],
  datasets: [dataset(1)],
  layerFeatures: [feature(1)],
  ...over,
});

/** Opens a source of the records. */
async function through(kind: string, records: Company, use: (source: Source) => Promise<void>): Promise<void> {
  if (kind === "memory") return use(fromRecords(records));
  if (kind === "live") {
    const bodies = Object.entries(records).map(([name, rows]) => [name, JSON.stringify(rows)] as const);
    const server = await serveRecords(Object.fromEntries(bodies));
    const source = connect({ baseUrl: server.url, apiKey: "k", pageSize: 10 });
    await use(source).finally(async () => {
      await source.close();
      server.close();
    });
    return;
  }
  const path = join(folder, `snapshot-${++count}`);
  await pull(fromRecords(records), path, { strict: false });
  const snapshot = await openSnapshot(path);
  await use(snapshot).finally(() => snapshot.close());
}

const codes = (diagnostics: readonly Diagnostic[]) => diagnostics.map(({ code, count: n }) => [code, n]);

describe.each(["memory", "live", "snapshot"])("times from %s", (kind) => {
  it("reads a leap second and 24:00:00 as the next second", async () => {
    const propertyChanges = [
      change(1, { created_at: "2016-12-31T23:59:59.5Z", new_value: "A" }),
      change(2, { created_at: "2016-12-31T23:59:60.5Z", new_value: "B" }),
      change(3, { created_at: "2024-02-28T24:00:00Z", new_value: "C" }),
    ];
    const layerFeatures = [
      feature(1, { created_at: "2016-06-30T23:59:60Z", updated_at: "2024-02-29T00:00:00Z" }),
      feature(2, { created_at: "2016-12-31T24:00:00+00:00", updated_at: "2024-02-28T24:00:00Z" }),
    ];
    await through(kind, company({ layerFeatures, propertyChanges }), async (source) => {
      const layer = await source.layer({ site_id: 12 });
      expect(layer.table.array("created_at")).toEqual([
        new Date("2016-07-01T00:00:00Z"),
        new Date("2017-01-01T00:00:00Z"),
      ]);
      expect(codes(layer.diagnostics)).toEqual([
        ["timestamp-rolled-over", 2],
        ["timestamp-rolled-over", 1],
      ]);
      const history = await layer.history();
      expect(history.changes().array("created_at")).toEqual([
        new Date("2016-12-31T23:59:59.500Z"),
        new Date("2017-01-01T00:00:00Z"),
        new Date("2024-02-29T00:00:00Z"),
      ]);
      expect(history.asOf("2016-12-31").array("STATUS")).toEqual(["A"]);
      expect(history.asOf("2016-12-31T23:59:60Z").array("STATUS")).toEqual(["B", null]);
      // The records have no properties.
      expect(codes(history.diagnostics)).toEqual([
        ["timestamp-rolled-over", 2],
        ["log-differs-from-current", 1],
      ]);
    });
  });

  it("refuses a change with an impossible time, by its id", async () => {
    const propertyChanges = [change(1), change(2, { created_at: "2024-02-30T00:00:00Z" })];
    await through(kind, company({ propertyChanges }), async (source) => {
      await expect(source.history({ site_id: 12 })).rejects.toMatchObject({
        code: "ERR_PROTOCOL",
        message: expect.stringContaining(uuid(2)),
        facts: { change_id: uuid(2) },
      });
    });
  });

  it("leaves a change with an impossible time out if the read is not strict, and its cell unknown", async () => {
    const propertyChanges = [
      change(1, { created_at: "2024-06-31T00:00:00Z" }),
      change(2, { created_at: "2024-02-01T00:00:00Z", property_key: "PRIORITY", new_value: "LOW" }),
      change(3, { created_at: "2024-01-01T25:00:00Z", property_key: "PRIORITY", new_value: "HIGH" }),
      change(4, { created_at: "2024-13-01T00:00:00Z", property_key: "OWNER", new_value: "me" }),
    ];
    const layerFeatures = [feature(1, { properties: { STATUS: "OPEN", SIZE: 3 } })];
    await through(kind, company({ layerFeatures, propertyChanges }), async (source) => {
      const layer = await source.layer({ site_id: 12 });
      const history = await layer.history({ strict: false });
      expect(history.changes().array("change_id")).toEqual([uuid(2)]);
      const states = history.states("2025-01-01").objects() as { column: string; value: unknown; state: string }[];
      expect(Object.fromEntries(states.map(({ column, value, state }) => [column, [value, state]]))).toEqual({
        STATUS: [null, "unknown"],
        PRIORITY: ["LOW", "logged"],
        OWNER: [null, "unknown"],
        SIZE: [3, "unchanged"],
      });
      expect(history.intervals("STATUS").array("state")).toEqual(["unknown"]);
      expect(history.knownAt(uuid(2)).asOf("2025-01-01").array("STATUS")).toEqual([null]);
      expect(history.diagnostics).toMatchObject([
        { code: "timestamp-impossible", count: 3, facts: { change_ids: [uuid(1), uuid(3), uuid(4)] } },
        { code: "log-differs-from-current", count: 1, facts: { columns: { PRIORITY: 1 } } },
      ]);
    });
  });

  it("refuses a feature with an impossible time, by its id, or reports it if the read is not strict", async () => {
    const layerFeatures = [
      feature(1),
      feature(2, { created_at: "2023-02-29T00:00:00Z", updated_at: "2024-01-01T00:61:00Z" }),
    ];
    await through(kind, company({ layerFeatures }), async (source) => {
      await expect(source.layer({ site_id: 12 })).rejects.toMatchObject({
        code: "ERR_PROTOCOL",
        message: expect.stringMatching(/Layer feature 2: `created_at` .*"2023-02-29T00:00:00Z"/),
      });
      const layer = await source.layer({ site_id: 12 }, { strict: false });
      expect(layer.table.array("created_at")).toEqual([new Date("2024-01-01T00:00:00Z"), "2023-02-29T00:00:00Z"]);
      expect(layer.diagnostics).toMatchObject([
        { code: "timestamp-impossible", count: 1, facts: { field: "created_at", ids: [2] } },
        { code: "timestamp-impossible", count: 1, facts: { field: "updated_at", ids: [2] } },
      ]);
      const history = await layer.history();
      expect(history.asOf("2020-01-01").array("id")).toEqual([2]);
      expect(await layer.toCSV()).toContain("2023-02-29T00:00:00Z");
      const selected = "SELECT created_at FROM layer WHERE id = 2";
      expect((await layer.sql(selected)).objects()).toEqual([{ created_at: null }]);
      expect((await layer.toArrow()).getChild("created_at").at(1)).toBeNull();
    });
  });
});

describe("strict", () => {
  it("applies to histories if given to connect()", async () => {
    const propertyChanges = JSON.stringify([change(1, { created_at: "2024-02-30T00:00:00Z" })]);
    const server = await serveRecords({ layerFeatures: JSON.stringify([feature(1)]), propertyChanges });
    const source = connect({ baseUrl: server.url, apiKey: "k", pageSize: 10, strict: false });
    const history = await source.history({ site_id: 12 });
    expect(codes(history.diagnostics)).toEqual([["timestamp-impossible", 1]]);
    await expect(source.history({ site_id: 12 }, { strict: true })).rejects.toThrow(uuid(1));
    await source.close();
    server.close();
  });
});

describe("pull and import", () => {
  const records = company({
    layerFeatures: [feature(1, { updated_at: "2024-02-30T00:00:00Z" })],
    propertyChanges: [change(1), change(2, { created_at: "2024-04-31T00:00:00Z" })],
  });

  it("refuse an impossible time by the record's id, and write nothing", async () => {
    const path = join(folder, "refused");
    await expect(pull(fromRecords(company({ propertyChanges: records.propertyChanges ?? [] })), path)).rejects.toThrow(
      new RegExp(`created_at.*2024-04-31.*${uuid(2)}`),
    );
    expect(existsSync(join(path, "manifest.json"))).toBe(false);
    await through("live", records, async (source) => {
      await expect(pull(source, join(folder, "refused-live"))).rejects.toThrow(/updated_at .*2024-02-30.*id 1/);
    });
  });

  it.each(["memory", "live"])("keep the record from %s as it came if the pull is not strict", async (kind) => {
    await through(kind, records, async (source) => {
      const path = join(folder, `kept-${kind}`);
      const found: Diagnostic[] = [];
      for (const _ of [1, 2]) {
        await pull(source, path, {
          strict: false,
          fullLog: true,
          onDiagnostic: (diagnostic) => found.push(diagnostic),
        });
      }
      expect(new Set(found.map(({ code }) => code))).toEqual(new Set(["record-invalid"]));
      expect(found.map(({ message }) => message).join()).toContain(uuid(2));
      const snapshot = await openSnapshot(path);
      const kept = [];
      for await (const record of snapshot.records("propertyChanges", { layer_feature_id: 1 })) kept.push(record);
      expect(kept).toEqual(records.propertyChanges);
      expect((await snapshot.sql("SELECT id, created_at FROM property_changes ORDER BY id")).objects()).toEqual([
        { id: uuid(1), created_at: new Date("2024-06-01T00:00:00Z") },
        { id: uuid(2), created_at: null },
      ]);
      await snapshot.close();
    });
  });

  it("import a leap second, and report file, line and id of an impossible time", async () => {
    const dir = join(folder, "ndjson");
    mkdirSync(dir);
    const lines = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join("\n");
    const leap = change(1, { created_at: "2016-12-31T23:59:60Z" });
    writeFileSync(join(dir, "layer_features.ndjson"), lines([feature(1)]));
    writeFileSync(join(dir, "property_changes.ndjson"), lines([leap]));
    await importNdjson(dir, join(folder, "imported"));
    const snapshot = await openSnapshot(join(folder, "imported"));
    expect((await snapshot.sql("SELECT created_at FROM property_changes")).array("created_at")).toEqual([
      new Date("2017-01-01T00:00:00Z"),
    ]);
    await snapshot.close();

    writeFileSync(join(dir, "property_changes.ndjson"), lines([leap, ...(records.propertyChanges ?? []).slice(1)]));
    await expect(importNdjson(dir, join(folder, "refused-import"))).rejects.toThrow(
      new RegExp(`property_changes.ndjson:2: created_at: .*2024-04-31.*${uuid(2)}`),
    );
    const { skipped } = await importNdjson(dir, join(folder, "skipped"), { skipBad: true });
    expect(skipped).toMatchObject([{ line: 2, reason: expect.stringContaining(uuid(2)) }]);
  });
});
