import type { ColumnTable } from "arquero";
import * as aq from "arquero";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { InspectionOptions } from "../../../src/layer/anomaly-cases.js";
import { inspection } from "../../../src/layer/inspection.js";
import type { CaptureConditions } from "../../../src/layer/inspection-record.js";
import { fromRecords } from "../../../src/source/from-records.js";
import { randomRuns } from "../../support/random-runs.js";
import { dataset, definition, feature, uuid } from "../../support/records.js";

/** An anomaly at a place, which is the same from capture to capture. */
interface Found {
  readonly place: number;
  readonly deltaT?: number | string;
  readonly row?: string;
  readonly image?: string;
}

const keys = { kind: uuid(1), deltaT: uuid(2), row: uuid(3), image: uuid(4) };

async function inspect(captures: readonly (readonly Found[])[], given: Partial<InspectionOptions> = {}) {
  let id = 0;
  const items = Object.values(keys).map((key) => ({ type: "PROPERTY", property_definition_id: key }));
  const source = fromRecords({
    layerFeatures: captures.flatMap((all, capture) =>
      all.map(({ place, deltaT, row, image }) =>
        feature(++id, {
          dataset_id: capture + 1,
          operation_id: capture + 70,
          geometry: { type: "Point", coordinates: [11, 48 + place / 1000] },
          properties: {
            [keys.kind]: "hot_spot",
            ...(deltaT === undefined ? {} : { [keys.deltaT]: deltaT }),
            ...(row === undefined ? {} : { [keys.row]: row }),
            ...(image === undefined ? {} : { [keys.image]: image }),
          },
        }),
      ),
    ),
    propertyDefinitions: [
      definition(keys.kind, "Class"),
      definition(keys.deltaT, "ΔT", { type: "FLOAT" }),
      definition(keys.row, "Row"),
      definition(keys.image, "IR image"),
    ],
    datasets: captures.map((_, capture) =>
      dataset(capture + 1, { operation_id: capture + 70, layout_definition: { items } } as never),
    ),
  });
  const layers = await Promise.all(captures.map((_, capture) => source.layer({ operation_id: capture + 70 })));
  const labels = captures.map((_, capture) => `2026-0${capture + 1}-01`);
  return inspection(layers, { classColumn: "Class", maxMeters: 1, labels, ...given });
}

const pick = (table: ColumnTable, ...names: string[]) =>
  (table.objects() as Readonly<Record<string, unknown>>[]).map((row) => names.map((name) => row[name]));

const columns = { deltaT: "ΔT", position: { row: "Row" }, images: { thermal: "IR image" } } as const;

/** Values of an item by capture. */
function documented(table: ColumnTable, item: string) {
  return pick(table, "item", "value").flatMap(([name, value]) => (name === item ? [value] : []));
}

describe("the record of an inspection", () => {
  const captures: readonly (readonly Found[])[] = [
    [
      { place: 1, deltaT: 8, row: "R1", image: "a.tiff" },
      { place: 2, deltaT: "n/a" },
    ],
    [{ place: 1, deltaT: 10 }],
  ];

  it("normalizes ΔT to 1000 W/m², with the irradiance of the capture that shows the anomaly", async () => {
    const conditions = [
      { capture: "2026-01-01", irradiance: 800 },
      { capture: "2026-02-01", irradiance: 500 },
    ];
    const { anomalies } = await inspect(captures, { ...columns, conditions });
    expect(
      pick(anomalies, "capture", "change", "delta_t", "delta_t_1000", "row", "thermal_image", "rgb_image"),
    ).toEqual([
      ["2026-01-01", "new", 8, 10, "R1", "a.tiff", null],
      ["2026-01-01", "new", null, null, null, null, null],
      ["2026-02-01", "persistent", 10, 20, null, null, null],
      ["2026-02-01", "fixed", null, null, null, null, null],
    ]);
    expect(pick(anomalies, "longitude", "latitude")[0]).toEqual([11, 48.001]);
  });

  it("states for each capture whether the minimum irradiance was met", async () => {
    const verdicts = async (irradiance: number | null, minimumIrradiance?: number) => {
      const conditions = [{ capture: "2026-01-01", irradiance }];
      const options = minimumIrradiance === undefined ? { conditions } : { conditions, minimumIrradiance };
      const result = await inspect(captures, options);
      return pick(result.conditions, "capture", "irradiance", "irradiance_verdict");
    };
    const second = ["2026-02-01", null, "not recorded"];
    expect(await verdicts(600)).toEqual([["2026-01-01", 600, "met"], second]);
    expect(await verdicts(599.9)).toEqual([["2026-01-01", 599.9, "not met"], second]);
    expect(await verdicts(599.9, 500)).toEqual([["2026-01-01", 599.9, "met"], second]);
    expect(await verdicts(null)).toEqual([["2026-01-01", null, "not recorded"], second]);
  });

  it("lists each item that is missing as not recorded", async () => {
    const none = await inspect(captures);
    const missing = pick(none.documentation, "capture", "value").filter(([, value]) => value === "not recorded");
    // Coordinates are those of the geometries.
    expect(missing).toHaveLength(2 * 15);
    expect(documented(none.documentation, "Coordinates")).toEqual(["2 of 2 anomalies", "1 of 1 anomalies"]);

    const conditions = aq.table({
      capture: ["2026-02-01"],
      irradiance: [812.5],
      wind_speed: [3],
      cloud_cover: [0],
      ambient_temperature: [-4.5],
      camera: ["H20T"],
      distance: [null],
      pilot: [""],
    });
    const { documentation } = await inspect(captures, { ...columns, conditions });
    const values = (item: string) => documented(documentation, item);
    expect(values("Irradiance in the module plane")).toEqual(["not recorded", "812.5 W/m²"]);
    expect(values("Minimum of 600 W/m²")).toEqual(["not recorded", "met"]);
    expect(values("Wind speed")[1]).toBe("3 m/s");
    expect(values("Cloud cover")[1]).toBe("0 okta");
    expect(values("Ambient temperature")[1]).toMatch(/^[-−]4\.5 °C$/);
    expect(values("Camera")[1]).toBe("H20T");
    expect([values("Distance to the modules")[1], values("Pilot")[1]]).toEqual(["not recorded", "not recorded"]);
    expect(values("Temperature difference ΔT")).toEqual(["1 of 2 anomalies", "1 of 1 anomalies"]);
    expect(values("ΔT normalized to 1000 W/m²")).toEqual(["not recorded", "1 of 1 anomalies"]);
    expect(values("Row")).toEqual(["1 of 2 anomalies", "not recorded"]);
    expect(values("RGB image")).toEqual(["not recorded", "not recorded"]);
  });

  it("equals a naive calculation for any conditions", async () => {
    const kelvin = fc.option(fc.double({ min: 0, max: 60, noNaN: true }), { nil: undefined });
    const capture = fc.array(kelvin, { maxLength: 4 });
    const irradiance = fc.option(fc.constantFrom(0, 300, 599.99, 600, 600.01, 1000), { nil: null });
    const input = fc.array(fc.tuple(capture, irradiance), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(input, fc.constantFrom(undefined, 0, 1000), async (cases, minimum) => {
        const found = cases.map(([all], index) =>
          all.map((deltaT, place): Found => {
            const at = { place: 10 * index + place };
            return deltaT === undefined ? at : { ...at, deltaT };
          }),
        );
        const conditions = cases.map(([, given], index): CaptureConditions => {
          return { capture: `2026-0${index + 1}-01`, irradiance: given };
        });
        const result = await inspect(found, {
          ...(found.length > 0 ? { conditions } : {}),
          ...(minimum === undefined ? {} : { minimumIrradiance: minimum }),
          ...(cases.some(([all]) => all.length > 0) ? { deltaT: "ΔT" } : {}),
        });
        const shown = pick(result.anomalies, "id", "change", "delta_t_1000").filter(([id]) => id !== null);
        const expected = cases.flatMap(([all, given]) =>
          all.map((deltaT) => (deltaT === undefined || !given ? null : (deltaT / given) * 1000)),
        );
        expect(shown).toHaveLength(expected.length);
        for (const [index, [, , value]] of shown.entries()) {
          if (expected[index] === null) expect(value).toBeNull();
          else expect(value).toBeCloseTo(expected[index] as number, 9);
        }
        const verdicts = cases.map(([, given]) => {
          if (given === null) return "not recorded";
          return given >= (minimum ?? 600) ? "met" : "not met";
        });
        expect(pick(result.conditions, "irradiance_verdict").flat()).toEqual(verdicts);
      }),
      { numRuns: randomRuns(40) },
    );
  });

  it.each([
    [[{ capture: "2026-03-01" }], '`conditions` has unknown capture "2026-03-01"'],
    [[{ capture: "2026-01-01" }, { capture: "2026-01-01" }], '`conditions` has two rows for the capture "2026-01-01"'],
    [[{ capture: "2026-01-01", wind: 3 }], 'unknown column "wind" in `conditions`'],
    [[{ capture: "2026-01-01", irradiance: "812" }], 'invalid irradiance in the conditions of "2026-01-01": "812"'],
    [[{ capture: "2026-01-01", cloud_cover: 9 }], 'invalid cloud_cover in the conditions of "2026-01-01": 9'],
    [[{ capture: "2026-01-01", camera: 5 }], 'invalid camera in the conditions of "2026-01-01": 5'],
    ["sunny", "conditions must be a table or an array of conditions"],
  ])("refuses the conditions %j", async (conditions, message) => {
    await expect(inspect(captures, { conditions: conditions as never })).rejects.toThrow(message);
  });

  it("refuses unknown columns of position and images", async () => {
    await expect(inspect(captures, { deltaT: "dT" })).rejects.toThrow('Unknown column: "dT".');
    await expect(inspect(captures, { position: { rows: "Row" } as never })).rejects.toThrow("position must be columns");
    await expect(inspect(captures, { images: { rgb: "Photo" } })).rejects.toThrow('Unknown column: "Photo".');
  });
});
