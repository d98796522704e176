import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DriftError } from "../../../src/core/errors.js";
import { mockRecord, mockRecords } from "../mock-records.js";
import { type MockOptions, mockServices, type Row, refuse } from "../mock-service.js";

const mock = mockServices();

const scope = { site_id: 1 };
const ids = (rows: readonly Row[]) => rows.map(({ id }) => id);
const without = (rows: readonly Row[], ...gone: number[]) => rows.filter(({ id }) => !gone.includes(Number(id)));
const feature = (id: number) => mockRecord("layerFeatures", id);
const inOrder = (rows: readonly Row[]) => [...rows].sort((a, b) => Number(a.id) - Number(b.id));

/** Changes the rows before one request. */
function changeBefore(number: number, change: (rows: readonly Row[]) => readonly Row[]): MockOptions {
  return {
    before(request) {
      const rows = mock.service.rows.get("layerFeatures") ?? [];
      if (request.number === number) mock.service.rows.set("layerFeatures", inOrder(change(rows)));
    },
  };
}

/** Refuses pages after the end, like some services. */
function beyondEnd(status: number): NonNullable<MockOptions["fault"]> {
  return ({ resource, page, pageSize }, response) => {
    const count = mock.service.rows.get(resource)?.length ?? 0;
    return page > 1 && (page - 1) * pageSize >= count && refuse(response, status, "no such page");
  };
}

async function readFeatures(count: number, options: MockOptions) {
  await mock.start(options);
  mock.service.rows.set("layerFeatures", mockRecords("layerFeatures", count));
  const { rows } = await mock.service.reader({ pageSize: 10, concurrency: 1 }).all("layerFeatures", scope);
  return ids(rows);
}

describe("all", () => {
  it.each<[string, (rows: readonly Row[]) => readonly Row[]]>([
    ["a deletion", (rows) => without(rows, 3)],
    ["an insertion", (rows) => [...rows, feature(1)]],
  ])("returns every original row once after %s between two pages", async (_, change) => {
    expect(await readFeatures(30, changeBefore(2, change))).toEqual(ids(mockRecords("layerFeatures", 30)));
  });

  it.each<[string, readonly string[], (rows: readonly Row[]) => readonly Row[]]>([
    ["nothing moved", [], (rows) => rows],
    ["rows were inserted before", [], (rows) => [feature(1), feature(3), ...rows]],
    ["rows were deleted", ["2/6"], (rows) => without(rows, 3, 4, 5)],
    ["half of the rows were deleted", ["2/6", "1/10"], (rows) => rows.slice(100)],
  ])("rereads only the gaps between pages if %s", async (_, again, change) => {
    const requested = () => mock.service.requests.map(({ page, pageSize }) => `${page}/${pageSize}`);
    await readFeatures(200, {});
    const planned = requested();
    await mock.service.close();
    await readFeatures(200, changeBefore(2, change));
    expect(requested()).toEqual([...planned, ...again]);
  });

  it.each([24, 30, 100])("finds the skipped rows of %i although as many were inserted as deleted", async (count) => {
    const change = changeBefore(2, (rows) => [...without(rows, 3, 6), feature(1000), feature(1001)]);
    const read = await readFeatures(count, change);
    expect(read).toEqual([...ids(mockRecords("layerFeatures", count)), 1000, 1001]);
  });

  it.each([400, 404])("treats %i for a page after the end as deleted rows", async (status) => {
    const gone = changeBefore(3, (rows) => rows.slice(0, 12));
    const read = await readFeatures(50, { ...gone, fault: beyondEnd(status) });
    expect(read).toEqual(expect.arrayContaining(ids(mockRecords("layerFeatures", 12))));
  });

  it("reads on after a full last page with a lower count", async () => {
    const envelope: NonNullable<MockOptions["envelope"]> = ({ data, pagination }) => ({
      data,
      pagination: { ...pagination, rowCount: 19, pageCount: 2 },
    });
    expect(await readFeatures(24, { envelope })).toEqual(ids(mockRecords("layerFeatures", 24)));
  });

  it.each([150, 200])("returns the remaining rows once if %i of 200 are deleted", async (gone) => {
    const read = await readFeatures(
      200,
      changeBefore(5, (rows) => rows.slice(gone)),
    );
    expect(read).toEqual(expect.arrayContaining(ids(mockRecords("layerFeatures", 200).slice(gone))));
    expect(new Set(read).size).toBe(read.length);
  });

  it.each([1, -9])("returns every row if each other count is off by %i", async (by) => {
    const envelope: NonNullable<MockOptions["envelope"]> = ({ data, pagination }, { number }) => {
      const rowCount = pagination.rowCount + (number % 2 === 0 ? by : 0);
      return { data, pagination: { ...pagination, rowCount, pageCount: Math.ceil(rowCount / pagination.pageSize) } };
    };
    expect(await readFeatures(25, { envelope })).toEqual(ids(mockRecords("layerFeatures", 25)));
  });

  it("throws a DriftError with counts if a counted row never arrives", async () => {
    await mock.start({ envelope: (page) => ({ ...page, data: page.data.filter(({ id }) => id !== 33) }) });
    mock.service.rows.set("layerFeatures", mockRecords("layerFeatures", 30));
    const error = await mock.service
      .reader({ pageSize: 10 })
      .all("layerFeatures", scope)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DriftError);
    expect(error).toMatchObject({
      facts: { resource: "layerFeatures", rows: 29, leastRowCount: 30, mostRowCount: 30 },
    });
  });
});

/** Ids to delete and to insert before a request. */
const step = fc.record({
  gone: fc.array(fc.integer({ min: 1, max: 120 }), { maxLength: 4 }),
  come: fc.array(fc.integer({ min: 1, max: 120 }), { maxLength: 4 }),
});

const story = fc.record({
  first: fc.uniqueArray(fc.integer({ min: 1, max: 120 }), { minLength: 0, maxLength: 100 }),
  steps: fc.array(step, { maxLength: 12 }),
  pageSize: fc.integer({ min: 10, max: 40 }),
  concurrency: fc.integer({ min: 1, max: 4 }),
  /** Distance of ids. With gaps, neighboring ids do not prove completeness. */
  spread: fc.constantFrom(1, 3),
  byId: fc.boolean(),
  stream: fc.boolean(),
  /** Status of a page after the end. */
  beyond: fc.constantFrom(200, 400, 404),
  /** Whether as many rows are inserted as deleted, so that counts do not change. */
  hidden: fc.boolean(),
  /** Whether ids are assigned at insert, so that new rows come last. */
  append: fc.boolean(),
});

const RUNS = Number(process.env["SITEFRAME_RUNS"] ?? 300);

describe("a service whose rows change between requests", () => {
  it("returns every row that existed throughout once, and no row that never existed", {
    timeout: 600_000,
  }, async () => {
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
          await mock.start({
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
              mock.service.rows.set(
                resource,
                sorted.map((id) => mockRecord(resource, id * spread)),
              );
              if (!byId && params.has("_sortBy")) return refuse(response, 400, "cannot sort");
              return beyond !== 200 && beyondEnd(beyond)(request, response, socket);
            },
          });
          stories += 1;
          const reader = mock.service.reader({ pageSize, concurrency });
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
            await mock.service.close();
          }
          expect(new Set(read).size).toBe(read.length);
          expect(read.filter((id) => !ever.has(id))).toEqual([]);
          expect([...throughout].filter((id) => !read.includes(id))).toEqual([]);
        },
      ),
      { numRuns: RUNS },
    );
    expect(settled / stories).toBeGreaterThan(0.98);
    await mock.start();
  });
});

function anyScope(byId: boolean): object {
  return byId ? scope : {};
}
