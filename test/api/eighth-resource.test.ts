import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Resource } from "../../src/api/contract.js";
import { openApi } from "../../src/api/openapi.js";
import { type ResourceName, resources } from "../../src/api/resources.js";
import { type Service, startService } from "../../src/service/start-service.js";
import { exportNdjson, importNdjson } from "../../src/snapshot/ndjson/ndjson-files.js";
import { openSnapshot } from "../../src/snapshot/open-snapshot.js";
import { pull } from "../../src/snapshot/pull.js";
import { openStore } from "../../src/snapshot/serve/open-store.js";
import type { SnapshotStore } from "../../src/snapshot/serve/snapshot-store.js";
import { verifySnapshot } from "../../src/snapshot/verify-snapshot.js";
import { writeSnapshot } from "../../src/snapshot/write/write-snapshot.js";
import { connect } from "../../src/source/connect.js";
import { fromRecords } from "../../src/source/from-records.js";
import type { Source } from "../../src/source/source.js";
import { mockRecords } from "../client/mock-records.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";

/** A resource that is defined here only. */
const literal = vi.hoisted(() => ({
  inspections: {
    record: "Inspection",
    fields: {
      id: { type: "integer", nullable: false, description: "Identifier." },
      operation_id: { type: "integer", nullable: false, description: "Operation that was inspected." },
      grade: { type: "string", nullable: false, description: "How it went.", values: ["GOOD", "BAD"] },
      score: { type: "number", nullable: true, description: "Points." },
      inspector: { type: "string", nullable: true, personal: true, description: "Who was there." },
      done_at: { type: "timestamp", nullable: false, description: "When it was done." },
    },
    hidden: { origin: { type: "string", nullable: true, description: "How it came.", seen: ["APP", "PAPER"] } },
    endpoint: {
      path: "/inspections",
      summary: "Inspections of operations.",
      filters: {
        id: { kind: "integer", description: "Inspection ids." },
        operation_id: { kind: "integer", description: "Operation ids." },
        origin: { kind: "string", description: "How they came." },
      },
      pageRequired: false,
      pageSize: { default: 10, max: 10_000 },
      sort: {
        fields: ["id", "score"],
        complete: true,
        properties: false,
        default: [{ field: "id", descending: true }],
      },
    },
    table: "inspections",
    site: { by: "operation_id", of: "operations" },
  } satisfies Resource,
}));

vi.mock("../../src/api/resources.js", async (original) => {
  const contract = await original<typeof import("../../src/api/resources.js")>();
  return { ...contract, resources: { ...contract.resources, ...literal } };
});

/** The name has this type once the contract has the resource. */
const INSPECTIONS = "inspections" as ResourceName;
const all = {} as never;

const stored = [1, 2, 3, 4, 5].map((id) => ({
  id,
  operation_id: id <= 3 ? 1 : 2,
  grade: id === 2 ? "BAD" : "GOOD",
  score: [7.5, null, 3, 10, 3][id - 1] ?? null,
  inspector: id === 4 ? null : "Ada Person",
  done_at: `2024-05-0${id}T08:00:00Z`,
  origin: id % 2 === 0 ? "PAPER" : "APP",
}));
const sent = stored.map(({ origin, ...rest }) => rest);
const company = {
  sites: mockRecords("sites", 2).map((row, index) => ({ ...row, id: 11 + index })),
  operations: mockRecords("operations", 2).map((row, index) => ({ ...row, id: 1 + index, site_id: 11 + index })),
};

const folder = temporaryFolder();
const at = (name: string) => join(folder, name);
let store: SnapshotStore;
let service: Service;
let live: Source;

beforeAll(async () => {
  await writeSnapshot(at("served"), { ...company, [INSPECTIONS]: stored });
  store = await openStore(at("served"));
  service = await startService({ store, apiKeys: [{ key: "all" }, { key: "second", siteIds: [12] }] });
  live = connect({ baseUrl: service.url, apiKey: "all" });
});

afterAll(async () => {
  await live.close();
  await service.close();
  await store.close();
});

async function recordsOf(source: Source, params: object = {}, options: object = {}): Promise<readonly object[]> {
  const rows = [];
  for await (const row of source.records(INSPECTIONS, params as never, options)) rows.push(row);
  return rows;
}

async function sortedIds(source: Source): Promise<readonly (readonly number[])[]> {
  const pages = [];
  const params = { _sortBy: "-score" } as never;
  for await (const { data } of source.pages(INSPECTIONS, params, { pageSize: 2 })) {
    pages.push(data.map(({ id }) => Number(id)));
  }
  return pages;
}

async function get(path: string, key: string): Promise<{ readonly status: number; readonly body: unknown }> {
  const answer = await fetch(`${service.url}${path}`, { headers: { Authorization: `ApiKey ${key}` } });
  return { status: answer.status, body: await answer.json() };
}

it("is served", async () => {
  const { body } = await get("/inspections?operation_id=1&_sortBy=-score", "all");
  expect(body).toEqual({
    data: [sent[0], sent[2], sent[1]],
    pagination: { page: 1, pageSize: 10, rowCount: 3, pageCount: 1 },
  });
  expect((await get("/inspections?origin=PAPER", "all")).body).toMatchObject({ data: [sent[3], sent[1]] });
  expect((await get("/inspections", "second")).body).toMatchObject({ data: [sent[4], sent[3]] });
  expect((await get("/inspections?score=1", "all")).status).toBe(400);
});

it("is in the OpenAPI document", () => {
  expect(openApi("1")).toMatchObject({
    paths: { "/inspections": { get: { operationId: "inspections" } } },
    components: { schemas: { Inspection: { properties: { grade: { enum: ["GOOD", "BAD"] } } } } },
  });
});

it("is read live", async () => {
  expect(await recordsOf(live)).toEqual(sent);
  expect(await recordsOf(live, { operation_id: [2], id: [1, 4] })).toEqual([sent[3]]);
  expect(await sortedIds(live)).toEqual([[4, 1], [3, 5], [2]]);
  const table = await live.table(INSPECTIONS, all);
  expect(table.columnNames()).toEqual(Object.keys(literal.inspections.fields));
  expect(table.array("done_at")[0]).toEqual(new Date("2024-05-01T08:00:00Z"));
  expect(JSON.stringify(await recordsOf(live, {}, { redact: true }))).not.toContain("Ada");
  await expect(recordsOf(live, { grade: "GOOD" })).rejects.toThrow('inspections has no parameter "grade".');
});

it("is read from memory", async () => {
  const memory = fromRecords({ [INSPECTIONS]: sent });
  expect(await recordsOf(memory, { operation_id: 2 })).toEqual(sent.slice(3));
  expect(await sortedIds(memory)).toEqual(await sortedIds(live));
  const [first] = sent;
  expect(() => fromRecords({ [INSPECTIONS]: [{ ...first, grade: "SO-SO" }] })).toThrow(
    "inspections[0].grade expected one of GOOD, BAD, got a string of 5 characters.",
  );
});

it("is suggested for a misspelled name", async () => {
  await expect(live.table("inspection" as ResourceName, all)).rejects.toMatchObject({
    code: "ERR_ARGUMENT",
    hint: expect.stringMatching(/^Did you mean "inspections"\?/),
  });
});

describe("a pull", () => {
  it("includes it, with attributes that the service only filters by", async () => {
    const report = await pull(live, at("pulled"));
    expect(report.rows).toMatchObject({ sites: 2, operations: 2, inspections: 5 });
    const snapshot = await openSnapshot(at("pulled"));
    const query = "SELECT grade, origin, count(*)::INT AS n, max(done_at) AS last FROM inspections GROUP BY ALL";
    expect((await snapshot.sql(`${query} ORDER BY grade, origin`)).objects()).toEqual([
      { grade: "BAD", origin: "PAPER", n: 1, last: new Date("2024-05-02T08:00:00Z") },
      { grade: "GOOD", origin: "APP", n: 3, last: new Date("2024-05-05T08:00:00Z") },
      { grade: "GOOD", origin: "PAPER", n: 1, last: new Date("2024-05-04T08:00:00Z") },
    ]);
    expect(await recordsOf(snapshot)).toEqual(sent);
    expect(await recordsOf(snapshot, { origin: "PAPER" })).toEqual([sent[1], sent[3]]);
    expect(await sortedIds(snapshot)).toEqual(await sortedIds(live));
    expect((await snapshot.table(INSPECTIONS, all)).objects()).toEqual((await live.table(INSPECTIONS, all)).objects());
    await snapshot.close();
    expect(await verifySnapshot(at("pulled"))).toMatchObject({ damage: [], references: [] });
  });

  it("of one site includes its rows", async () => {
    await pull(live, at("limited"), { site_id: 12 });
    const snapshot = await openSnapshot(at("limited"));
    expect(await recordsOf(snapshot)).toEqual(sent.slice(3));
    await snapshot.close();
  });

  it("of other sources includes it", async () => {
    const memory = fromRecords({ ...company, [INSPECTIONS]: sent });
    await pull(memory, at("of memory"));
    const first = await openSnapshot(at("of memory"));
    await pull(first, at("of a snapshot"));
    const second = await openSnapshot(at("of a snapshot"));
    expect(await recordsOf(second)).toEqual(sent);
    await Promise.all([first.close(), second.close()]);
  });
});

it("is exported and imported", async () => {
  expect(await exportNdjson(at("served"), at("ndjson"))).toMatchObject({ operations: 2, inspections: 5 });
  const lines = (await readFile(join(at("ndjson"), "inspections.ndjson"), "utf8")).trim().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual(stored);
  await importNdjson(at("ndjson"), at("imported"));
  const snapshot = await openSnapshot(at("imported"));
  expect(await recordsOf(snapshot)).toEqual(sent);
  await snapshot.close();
});

describe("the contract", () => {
  const contract: Readonly<Record<string, Resource>> = resources;

  it.each(Object.keys(contract))("has the fields for pulls of %s", (name) => {
    const { endpoint, site, fields } = contract[name] as Resource;
    expect(Object.keys(fields)).toContain(site.by);
    const names = Object.keys(contract);
    // Parents are pulled first.
    if (site.of) expect(names.indexOf(site.of)).toBeLessThan(names.indexOf(name));
    expect(Object.keys(endpoint.filters)).toContain(site.by);
  });

  it("has a distinct table for each resource", () => {
    const tables = Object.values(contract).map(({ table }) => table);
    expect(new Set(tables).size).toBe(tables.length);
    expect(tables.filter((table) => !/^[a-z_]+$/.test(table))).toEqual([]);
  });
});
