import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { DriftError } from "../../../src/core/errors.js";
import { mockRecord, mockRecords } from "../mock-records.js";
import { type MockOptions, type MockService, mockService, type Row, refuse } from "../mock-service.js";

let service: MockService;
const start = async (options?: MockOptions) => {
  service = await mockService(options);
  return service;
};
afterEach(() => service.close());

const scope = { site_id: 1 };
const ids = (rows: readonly Row[]) => rows.map(({ id }) => id);
const without = (rows: readonly Row[], ...gone: number[]) => rows.filter(({ id }) => !gone.includes(Number(id)));
const feature = (id: number) => mockRecord("layerFeatures", id);
const inOrder = (rows: readonly Row[]) => [...rows].sort((a, b) => Number(a.id) - Number(b.id));

/** Changes the rows once, before the request with a number. */
function changeBefore(number: number, change: (rows: readonly Row[]) => readonly Row[]): MockOptions {
  return {
    before(request) {
      const rows = service.rows.get("layerFeatures") ?? [];
      if (request.number === number) service.rows.set("layerFeatures", inOrder(change(rows)));
    },
  };
}

/** Refuses pages beyond the end, as some services do. */
function beyondEnd(status: number): NonNullable<MockOptions["fault"]> {
  return ({ resource, page, pageSize }, response) => {
    const count = service.rows.get(resource)?.length ?? 0;
    return page > 1 && (page - 1) * pageSize >= count && refuse(response, status, "no such page");
  };
}

async function readFeatures(count: number, options: MockOptions) {
  await start(options);
  service.rows.set("layerFeatures", mockRecords("layerFeatures", count));
  const { rows } = await service.reader({ pageSize: 10, concurrency: 1 }).all("layerFeatures", scope);
  return ids(rows);
}

describe("all", () => {
  it("finds the row that a deletion moved onto a page that was read", async () => {
    const read = await readFeatures(
      30,
      changeBefore(2, (rows) => without(rows, 3)),
    );
    expect(read).toEqual(ids(mockRecords("layerFeatures", 30)));
  });

  it("takes no row twice when an insertion moves rows onto the next page", async () => {
    const read = await readFeatures(
      30,
      changeBefore(2, (rows) => [...rows, feature(1)]),
    );
    expect(read).toEqual(ids(mockRecords("layerFeatures", 30)));
  });

  it.each<[string, readonly string[], (rows: readonly Row[]) => readonly Row[]]>([
    ["nothing moved", [], (rows) => rows],
    ["rows came before", [], (rows) => [feature(1), feature(3), ...rows]],
    ["rows went", ["2/6"], (rows) => without(rows, 3, 4, 5)],
    ["half of the rows went", ["2/6", "1/10"], (rows) => rows.slice(100)],
  ])("reads only the gaps between pages again, if %s", async (_, again, change) => {
    const requested = () => service.requests.map(({ page, pageSize }) => `${page}/${pageSize}`);
    await readFeatures(200, {});
    const planned = requested();
    await service.close();
    await readFeatures(200, changeBefore(2, change));
    expect(requested()).toEqual([...planned, ...again]);
  });

  it.each([24, 30, 100])("finds the rows skipped of %i although deletion and insertion cancel out", async (count) => {
    const change = changeBefore(2, (rows) => [...without(rows, 3, 6), feature(1000), feature(1001)]);
    const read = await readFeatures(count, change);
    expect(read).toEqual([...ids(mockRecords("layerFeatures", count)), 1000, 1001]);
  });

  it.each([400, 404])("takes %i for a page beyond the end as news that rows are gone", async (status) => {
    const gone = changeBefore(3, (rows) => rows.slice(0, 12));
    const read = await readFeatures(50, { ...gone, fault: beyondEnd(status) });
    expect(read).toEqual(expect.arrayContaining(ids(mockRecords("layerFeatures", 12))));
  });

  it("reads on after a last page that is full, whatever its count says", async () => {
    const envelope: NonNullable<MockOptions["envelope"]> = ({ data, pagination }) => ({
      data,
      pagination: { ...pagination, rowCount: 19, pageCount: 2 },
    });
    expect(await readFeatures(24, { envelope })).toEqual(ids(mockRecords("layerFeatures", 24)));
  });

  it("follows when most rows go", async () => {
    const read = await readFeatures(
      200,
      changeBefore(5, (rows) => rows.slice(150)),
    );
    expect(read).toEqual(expect.arrayContaining(ids(mockRecords("layerFeatures", 200).slice(150))));
    expect(new Set(read).size).toBe(read.length);
  });

  it("ends when all rows go", async () => {
    const read = await readFeatures(
      50,
      changeBefore(3, () => []),
    );
    expect(new Set(read).size).toBe(read.length);
  });

  it("needs no extra request for an append to the last page's own moment", async () => {
    const read = await readFeatures(
      30,
      changeBefore(3, (rows) => [...rows, feature(1000)]),
    );
    expect(read).toEqual(expect.arrayContaining(ids(mockRecords("layerFeatures", 30))));
  });

  it("throws a DriftError with numbers when rows stay away that every page counts", async () => {
    await start({ envelope: (page) => ({ ...page, data: page.data.filter(({ id }) => id !== 33) }) });
    service.rows.set("layerFeatures", mockRecords("layerFeatures", 30));
    const error = await service
      .reader({ pageSize: 10 })
      .all("layerFeatures", scope)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DriftError);
    expect(error).toMatchObject({
      facts: { resource: "layerFeatures", rows: 29, leastRowCount: 30, mostRowCount: 30 },
    });
  });
});

/** What happens to the rows before each request: ids to delete and to insert. */
const step = fc.record({
  gone: fc.array(fc.integer({ min: 1, max: 120 }), { maxLength: 4 }),
  come: fc.array(fc.integer({ min: 1, max: 120 }), { maxLength: 4 }),
});

const story = fc.record({
  first: fc.uniqueArray(fc.integer({ min: 1, max: 120 }), { minLength: 0, maxLength: 100 }),
  steps: fc.array(step, { maxLength: 12 }),
  pageSize: fc.integer({ min: 10, max: 40 }),
  concurrency: fc.integer({ min: 1, max: 4 }),
  /** Ids with room between them, so that neighbours do not prove that nothing is missing. */
  spread: fc.constantFrom(1, 3),
  byId: fc.boolean(),
  stream: fc.boolean(),
  /** How the service answers a page beyond the end. */
  beyond: fc.constantFrom(200, 400, 404),
  /** Whether as many rows come as go, so that no count of rows tells. */
  hidden: fc.boolean(),
  /** Whether ids are assigned at insert, so that new rows come last. */
  append: fc.boolean(),
});

const RUNS = Number(process.env["SITEFRAME_RUNS"] ?? 300);

describe("a service whose rows come and go between requests", () => {
  it("gives every row that existed throughout once, and none that never existed", { timeout: 600_000 }, async () => {
    let settled = 0;
    let stories = 0;
    await fc.assert(
      fc.asyncProperty(
        story,
        async ({ first, steps, pageSize, concurrency, byId, stream, spread, beyond, hidden, append }) => {
          let rows: ReadonlySet<number> = new Set(first);
          let throughout: ReadonlySet<number> = rows;
          const ever = new Set(first);
          const resource = byId ? "layerFeatures" : "sites";
          await start({
            fault(request, response, socket) {
              const { number, params } = request;
              const change = number > 1 ? steps[number - 2] : undefined;
              if (change) {
                const gone = [...rows].filter((id) => change.gone.includes(id));
                const come = [...new Set(change.come)]
                  .map((id) => (append ? id + 120 : id))
                  .filter((id) => !rows.has(id));
                const most = hidden ? Math.min(gone.length, come.length) : Number.POSITIVE_INFINITY;
                rows = new Set([...rows].filter((id) => !gone.slice(0, most).includes(id)).concat(come.slice(0, most)));
                throughout = new Set([...throughout].filter((id) => rows.has(id)));
                for (const id of rows) ever.add(id);
              }
              const sorted = [...rows].sort((a, b) => a - b);
              if (!params.has("_sortBy")) sorted.reverse();
              service.rows.set(
                resource,
                sorted.map((id) => mockRecord(resource, id * spread)),
              );
              if (!byId && params.has("_sortBy")) return refuse(response, 400, "cannot sort");
              return beyond !== 200 && beyondEnd(beyond)(request, response, socket);
            },
          });
          stories += 1;
          const reader = service.reader({ pageSize, concurrency });
          const read: number[] = [];
          try {
            if (stream)
              for await (const record of reader.records(resource, anyScope(byId))) read.push(record.id / spread);
            else read.push(...(await reader.all(resource, anyScope(byId))).rows.map(({ id }) => id / spread));
            settled += 1;
          } catch (error) {
            if (!(error instanceof DriftError)) throw error;
            return;
          } finally {
            await service.close();
          }
          expect(new Set(read).size).toBe(read.length);
          expect(read.filter((id) => !ever.has(id))).toEqual([]);
          expect([...throughout].filter((id) => !read.includes(id))).toEqual([]);
        },
      ),
      { numRuns: RUNS },
    );
    expect(settled / stories).toBeGreaterThan(0.98);
    await start();
  });
});

function anyScope(byId: boolean): object {
  return byId ? scope : {};
}
