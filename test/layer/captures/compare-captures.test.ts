import fc from "fast-check";
import type { Geometry } from "geojson";
import { describe, expect, it } from "vitest";
import { provenanceOf } from "../../../src/core/provenance.js";
import type { CaptureOptions } from "../../../src/layer/captures.js";
import { compareCaptures } from "../../../src/layer/compare-captures.js";
import type { Layer } from "../../../src/layer/layer.js";
import { metersBetween } from "../../../src/layer/place/geometry-measures.js";
import { fromRecords } from "../../../src/source/from-records.js";
import { randomRuns } from "../../support/random-runs.js";
import { dataset, definition, feature, uuid } from "../../support/records.js";

/** A feature of a capture: its id, its location in meters to the north, and its relation to a feature before. */
interface Found {
  readonly id: number;
  readonly north: number | null;
  readonly previous: unknown;
}

const at = (id: number, north: number | null, previous: unknown = null): Found => ({ id, north, previous });

const place = (north: number | null): Geometry | null =>
  north === null ? null : { type: "Point", coordinates: [11, 48 + north / 111_195] };

function read(captures: readonly (readonly Found[])[]): Promise<readonly Layer[]> {
  return Promise.all(
    captures.map((found, capture) => {
      const layerFeatures = found.map(({ id, north, previous }) =>
        feature(id, { operation_id: capture + 70, geometry: place(north), properties: { Previous: previous } }),
      );
      return fromRecords({ layerFeatures }).layer({ operation_id: capture + 70 });
    }),
  );
}

async function compare(captures: readonly (readonly Found[])[], options: CaptureOptions = { maxMeters: 1 }) {
  const table = await compareCaptures(await read(captures), options);
  return table.objects() as Readonly<Record<string, unknown>>[];
}

/** `capture chain status id previous_id`, a line a row. */
async function lines(captures: readonly (readonly Found[])[], options?: CaptureOptions): Promise<readonly string[]> {
  return (await compare(captures, options)).map(({ capture, chain, status, id, previous_id }) =>
    [capture, chain, status, id ?? "-", previous_id ?? "-"].join(" "),
  );
}

describe("compareCaptures", () => {
  it("has the statuses new, persistent, fixed and returned", async () => {
    const captures = [[at(1, 0), at(2, 100)], [at(3, 0.5), at(4, 200)], [at(5, 0), at(6, 100.5)], []];
    expect(await lines(captures)).toEqual([
      "1 1 new 1 -",
      "1 2 new 2 -",
      "2 1 persistent 3 1",
      "2 2 fixed - 2",
      "2 3 new 4 -",
      "3 1 persistent 5 3",
      "3 2 returned 6 2",
      "3 3 fixed - 4",
      "4 1 fixed - 5",
      "4 2 fixed - 6",
    ]);
  });

  it("has the ids of both features, the kind of match and the distance", async () => {
    const [, row] = await compare([[at(1, 0)], [at(3, 0.5)]], {
      maxMeters: 1,
      labels: ["2024-05-23", "2024-08-22"],
    });
    expect(row).toEqual({
      ...{ capture: "2024-08-22", operation_id: 71, chain: 1, status: "persistent", id: 3, visible_id: "F-3" },
      ...{ previous_id: 1, previous_visible_id: "F-1", matched_by: "place", marked_fixed: null },
      distance_m: expect.closeTo(0.5, 3),
    });
  });

  it("matches by relation first, at any distance and across captures", async () => {
    const relation = { maxMeters: 1, relation: "Previous" };
    const captures = [
      [at(1, 0), at(2, 100)],
      [at(3, 0, 2), at(4, 300)],
      [at(5, 400, [1]), at(6, 0, "3")],
    ];
    const rows = await compare(captures, relation);
    const found = rows.map(({ capture, chain, status, id, matched_by }) =>
      [capture, chain, status, id, matched_by].join(" "),
    );
    expect(found.slice(2)).toEqual([
      "2 1 fixed  ",
      "2 2 persistent 3 relation",
      "2 3 new 4 ",
      "3 1 returned 5 relation",
      "3 2 persistent 6 relation",
      "3 3 fixed  ",
    ]);
    // If two features name the same feature, the nearer one matches.
    const both = [
      [at(1, 0), at(2, 10)],
      [at(3, 9.8, 1), at(4, 2, 1)],
    ];
    expect((await lines(both, relation)).slice(2)).toEqual(["2 1 persistent 4 1", "2 2 persistent 3 2"]);
  });

  it("reports features without a location, and unknown related ids", async () => {
    const layers = await read([[at(1, null)], [at(2, null, 9), at(3, 0, 2)]]);
    const table = await compareCaptures(layers, { maxMeters: 1, relation: "Previous" });
    expect(table.array("status")).toEqual(["new", "fixed", "new", "new"]);
    expect(table.diagnostics).toMatchObject([
      { code: "relation-unresolved", count: 2, facts: { column: "Previous", ids: [9, 2] } },
      { code: "location-missing", count: 2, message: expect.stringMatching(/^2 features have no location .* only\.$/) },
    ]);
    expect(provenanceOf(table)).toEqual({ ...layers[1]?.provenance, assumptions: { maxMeters: 1 } });
  });

  it.each<[unknown, unknown, string]>([
    [1, { maxMeters: 1 }, "at least two layers"],
    ["numbers", { maxMeters: 1 }, "at least two layers"],
    [2, undefined, "maxMeters must be a number of meters above 0, got undefined"],
    [2, { maxMeters: 0 }, "above 0"],
    [2, { maxMeters: 1, relation: "Previos" }, 'Did you mean "Previous"?'],
    [2, { maxMeters: 1, maxMetres: 1 }, 'no option "maxMetres"'],
    [2, { maxMeters: 1, labels: ["a", "a"] }, "one unique name per layer"],
  ])("refuses %j layers with %j", async (count, options, message) => {
    const layers = await read([[at(1, 0)], [at(2, 0)]]);
    const given = typeof count === "number" ? layers.slice(0, count) : [1, 2];
    const refusal = await compareCaptures(given as readonly Layer[], options as CaptureOptions).catch(String);
    expect(refusal).toContain("ArgumentError");
    expect(refusal).toContain(message);
  });
});

/** Takes the best remaining pair until no pair is left. */
function naive(captures: readonly (readonly Found[])[], maxMeters: number): readonly string[] {
  const chains: { capture: number; found: Found }[][] = [];
  const lines: string[] = [];
  captures.forEach((capture, k) => {
    const open = new Map(capture.map((found, row) => [row, found]));
    const free = new Set(chains.keys());
    const stages: ((row: Found, chain: number) => boolean)[] = [
      ({ id }, chain) => homeOf(id) === chain,
      ({ previous }, chain) => homeOf(previous) === chain,
      (found, chain) => chains[chain]?.at(-1)?.capture === k - 1 && apart(found, chain) <= maxMeters,
      (found, chain) => apart(found, chain) <= maxMeters,
    ];
    // A feature may have been in two chains, if another feature was nearer to the first: the later chain is its own.
    const homeOf = (id: unknown): number => {
      const shown = (chain: number) => chains[chain]?.findLast(({ found }) => found.id === id)?.capture ?? -1;
      const [home = -1] = [...chains.keys()].filter((chain) => shown(chain) >= 0).sort((a, b) => shown(b) - shown(a));
      return home;
    };
    const apart = (found: Found, chain: number): number => meters(found, chains[chain]?.at(-1)?.found);
    const next = new Map<number, Found>();
    for (const fits of stages) {
      for (;;) {
        const pairs = [...open].flatMap(([row, found]) =>
          [...free]
            .filter((chain) => fits(found, chain))
            .map((chain) => ({ row, found, chain, far: apart(found, chain) })),
        );
        const order = (a: (typeof pairs)[0], b: (typeof pairs)[0]) =>
          a.far < b.far ? -1 : a.far > b.far ? 1 : a.chain - b.chain || a.row - b.row;
        const [best] = pairs.sort(order);
        if (!best) break;
        open.delete(best.row);
        free.delete(best.chain);
        next.set(best.chain, best.found);
      }
    }
    chains.forEach((chain, number) => {
      const last = chain.at(-1);
      const found = next.get(number);
      if (found) lines.push([k, number, last?.capture === k - 1 ? "persistent" : "returned", found.id].join(" "));
      else if (last?.capture === k - 1) lines.push([k, number, "fixed", ""].join(" "));
    });
    for (const [chain, found] of next) chains[chain]?.push({ capture: k, found });
    for (const found of open.values()) {
      lines.push([k, chains.length, "new", found.id].join(" "));
      chains.push([{ capture: k, found }]);
    }
  });
  return lines;
}

function meters(a: Found, b: Found | undefined): number {
  const pointOf = (found: Found | undefined) => {
    const north = found?.north ?? null;
    return north === null ? null : ([11, 48 + north / 111_195] as const);
  };
  const [here, there] = [pointOf(a), pointOf(b)];
  return here && there ? metersBetween(here, there) : Number.POSITIVE_INFINITY;
}

it("agrees with a list of all pairs", async () => {
  const north = fc.oneof(fc.integer({ min: 0, max: 6 }), fc.double({ min: 0, max: 6, noNaN: true }), fc.constant(null));
  const capture = fc.array(fc.tuple(north, fc.option(fc.integer({ min: 1, max: 30 }))), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(capture, { minLength: 2, maxLength: 5 }),
      fc.constantFrom(0.5, 1, 1.0001, 3),
      async (drawn, maxMeters) => {
        let id = 0;
        // Every second capture shares ids with the capture before.
        const captures = drawn.map((found, k) => {
          if (k % 2 === 0) id = Math.max(0, id - 2);
          return found.map(([where, previous]) => ({ id: ++id, north: where, previous }));
        });
        const seen = new Set<number>();
        const known = captures.map((found) => {
          const resolved = found.map((one) => ({
            ...one,
            previous: seen.has(one.previous ?? 0) ? one.previous : null,
          }));
          for (const one of found) seen.add(one.id);
          return resolved;
        });
        const rows = await compare(captures, { maxMeters: maxMeters, relation: "Previous" }).catch((error) => {
          // Captures without any feature have no such column.
          if (captures.flat().length === 0) return [];
          throw error;
        });
        const found = rows.map(({ capture: k, chain, status, id: now }) =>
          [Number(k) - 1, Number(chain) - 1, status, now ?? ""].join(" "),
        );
        expect(found).toEqual(naive(known, maxMeters));
      },
    ),
    { numRuns: randomRuns(300) },
  );
});

describe("the column marked_fixed", () => {
  const repair = uuid(4);
  const options = [
    { id: 1, label: "Open" },
    { id: 2, label: "Fixed" },
  ];

  /** One feature, present in each capture with a status. */
  async function life(statuses: readonly (unknown | undefined)[], key = "STATUS", how: Partial<CaptureOptions> = {}) {
    const layers = await Promise.all(
      statuses.map((value, capture) => {
        const layerFeatures = [
          feature(900 + capture, { operation_id: capture + 70, geometry: place(5000), properties: { [key]: null } }),
          ...(value === undefined
            ? []
            : [feature(capture + 1, { operation_id: capture + 70, geometry: place(0), properties: { [key]: value } })]),
        ];
        const propertyDefinitions = [definition(repair, "Repair", { type: "OPTION", config: { options } })];
        const source = fromRecords({ layerFeatures, propertyDefinitions, datasets: [dataset(1)] });
        return source.layer({ operation_id: capture + 70 });
      }),
    );
    const rows = (await compareCaptures(layers, { maxMeters: 1, ...how })).objects() as Record<string, unknown>[];
    return rows
      .filter((row) => (row["id"] === null ? Number(row["previous_id"]) < 900 : Number(row["id"]) < 900))
      .map((row) => `${String(row["capture"])} ${String(row["status"])} ${String(row["marked_fixed"])}`);
  }

  it("is true for features that were marked, which return if they are found again", async () => {
    expect(await life(["OPEN", "OPEN", undefined])).toEqual(["1 new false", "2 persistent false", "3 fixed false"]);
    expect(await life(["OPEN", "FIXED", undefined])).toEqual(["1 new false", "2 persistent true", "3 fixed true"]);
    expect(await life(["FIXED", "OPEN", "OPEN"])).toEqual(["1 new true", "2 returned false", "3 persistent false"]);
    expect(await life(["FIXED", "FIXED"])).toEqual(["1 new true", "2 persistent true"]);
    expect(await life(["OPEN", "Fixed"])).toEqual(["1 new false", "2 persistent true"]);
    expect(await life(["FIXED", undefined, "OPEN"])).toEqual(["1 new true", "2 fixed true", "3 returned false"]);
  });

  it("uses an OPTION property with such an option if STATUS is missing", async () => {
    expect(await life([2, 1], repair)).toEqual(["1 new true", "2 returned false"]);
    expect(await life([1, 2], repair)).toEqual(["1 new false", "2 persistent true"]);
  });

  it("uses the named column and values", async () => {
    const done = { fixed: { column: "STATUS", values: ["DONE", "VERIFIED"] } };
    expect(await life(["DONE", "FIXED"], "STATUS", done)).toEqual(["1 new true", "2 returned false"]);
    const byLabel = { fixed: { column: "Repair", values: ["Open"] } };
    expect(await life([1, 2], repair, byLabel)).toEqual(["1 new true", "2 returned false"]);
    expect(await life([1, 2], repair, { fixed: { column: "Repair" } })).toEqual(["1 new false", "2 persistent true"]);
  });

  it("is null without a status", async () => {
    expect(await life(["a", "b"], "ASSIGNEE")).toEqual(["1 new null", "2 persistent null"]);
  });

  it("refuses unknown columns and invalid options", async () => {
    await expect(life(["OPEN", "OPEN"], "STATUS", { fixed: { column: "STATU" } })).rejects.toThrow(
      /Unknown column: "STATU"/,
    );
    await expect(life(["OPEN", "OPEN"], "STATUS", { fixed: { column: "STATUS", values: [] } })).rejects.toThrow(
      /fixed/,
    );
    await expect(life(["OPEN", "OPEN"], "STATUS", { fixed: "STATUS" } as never)).rejects.toThrow(/fixed/);
  });
});
