import { describe, expect, it } from "vitest";
import { ArgumentError, progress, provenanceOf } from "../../src/index.js";
import { site } from "../snapshot/moving-service.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { change, dataset, definition, feature, uuid } from "../support/records.js";
import { everySource, openEverySource } from "./every-source.js";

const folder = temporaryFolder();
const length = uuid(1, "aaaaaaaa");
const layer = (id: number, name: string, semantic_type: string | null) => ({
  ...dataset(id, { name, semantic_type }),
  type: "geojson-layer",
});
const created_at = "2024-01-01T00:00:00Z";
const piece = (id: number, dataset_id: number, semantic_type: string | null, properties: object) =>
  feature(id, { dataset_id, semantic_type, created_at, properties: { ...properties } });
const step = (n: number, layer_feature_id: number, date: string, new_value: string) =>
  change(n, { layer_feature_id, created_at: `${date}T08:00:00Z`, new_value });

const records = {
  sites: [
    { ...site(12), name: "Llano Verde" },
    { ...site(13), name: "Monte Alto" },
  ],
  datasets: [
    layer(1, "Trenches", "TRENCHES"),
    layer(2, "Panels", "SOLAR_PANELS"),
    layer(3, "Fence", "FENCES"),
    layer(4, "Tickets", "PUNCH_LIST_ITEMS"),
    layer(5, "Hot spots", "SOLAR_ANOMALIES"),
    layer(6, "Sketch", null),
  ],
  propertyDefinitions: [definition(length, "Length", { type: "FLOAT", config: { unit: "m" } })],
  layerFeatures: [
    piece(1, 1, "TRENCHES", { STATUS: "CLOSED", [length]: 10 }),
    piece(2, 1, "TRENCHES", { STATUS: "OPEN", [length]: 30 }),
    piece(3, 2, "SOLAR_PANELS", { STATUS: "CLOSED" }),
    piece(4, 3, "FENCES", { [length]: 5 }),
    piece(5, 4, "PUNCH_LIST_ITEMS", { STATUS: "OPEN" }),
    piece(6, 5, "SOLAR_ANOMALIES", { STATUS: "OPEN" }),
    piece(7, 6, null, { STATUS: "OPEN" }),
  ],
  propertyChanges: [
    step(1, 1, "2024-01-02", "OPEN"),
    step(2, 2, "2024-01-02", "OPEN"),
    step(3, 3, "2024-01-02", "OPEN"),
    step(4, 1, "2024-03-01", "CLOSED"),
    step(5, 3, "2024-03-09", "CLOSED"),
  ],
};

const source = openEverySource(folder, records);

const options = { done: "CLOSED", at: "2024-03-10", since: "2024-03-05" } as const;

describe.each(everySource)("the progress of a site of a %s source", (name) => {
  const llano = async () => await source(name).site("Llano Verde");

  it("covers the named layers, by semantic type or by dataset name", async () => {
    const found = await progress(await llano(), {
      ...options,
      components: { Ditches: "TRENCHES", "PV tables": "panels" },
      weight: { Ditches: "Length" },
    });
    const rows = found.select("component", "contracted", "unit", "earned", "percent", "change").objects();
    expect(rows).toEqual([
      { component: "Ditches", contracted: 40, unit: "m", earned: 10, percent: 25, change: 0 },
      { component: "PV tables", contracted: 1, unit: "features", earned: 1, percent: 100, change: 1 },
    ]);
    expect(found.diagnostics.map(({ code }) => code)).not.toContain("component-excluded");
    expect(provenanceOf(found)?.readAt).toBeInstanceOf(Date);
    const listed = await progress(await llano(), { ...options, components: ["TRENCHES"] });
    expect(listed.array("component")).toEqual(["TRENCHES"]);
    // Histories give the same result.
    const history = await (await llano()).history("TRENCHES");
    expect((await progress({ TRENCHES: history }, options)).objects()).toEqual(listed.objects());
  });

  it("covers all components that have stages, and reports the others", async () => {
    const found = await progress(await llano(), options);
    expect(found.array("component")).toEqual(["TRENCHES", "SOLAR_PANELS"]);
    expect(found.diagnostics.filter(({ code }) => code === "component-excluded")).toMatchObject([
      { message: expect.stringContaining('"Sketch" is excluded'), facts: { layers: ["Sketch"] } },
      { facts: { layer: "FENCES", column: "STATUS" } },
    ]);
    const lengths = await progress(await llano(), {
      ...options,
      column: { FENCES: "Length" },
      done: { FENCES: 5, TRENCHES: "CLOSED", SOLAR_PANELS: "CLOSED" },
    });
    expect(lengths.array("component")).toEqual(["TRENCHES", "SOLAR_PANELS", "FENCES"]);
  });

  it("refuses names and options that do not fit the site", async () => {
    const own = await llano();
    const names = { components: { Ditches: "TRENCHS" } };
    await expect(progress(own, { ...options, ...names })).rejects.toMatchObject({
      code: "ERR_ARGUMENT",
      message: 'Llano Verde has no layer "TRENCHS".',
      hint: expect.stringContaining('Did you mean "TRENCHES"'),
    });
    await expect(progress(own, { ...options, components: {} })).rejects.toThrow("progress(): invalid components");
    await expect(progress(own, { ...options, components: { A: 5 } as never })).rejects.toThrow(ArgumentError);
    await expect(progress(own, { ...options, components: { Fence: "FENCES" } })).rejects.toThrow("Fence: ");
    await expect(progress(own, { ...options, done: "CLOSD", components: ["TRENCHES"] })).rejects.toMatchObject({
      message: expect.stringMatching(/^progress\(\): TRENCHES: done: no feature ever had "CLOSD"/),
      facts: { component: "TRENCHES" },
    });
    await expect(progress(await source(name).site(13), options)).rejects.toThrow(
      "progress(): Monte Alto has no layers with progress.",
    );
    await expect(progress(own, { stages: { TRENCHES: ["OPEN", "CLOSED"] } })).rejects.toMatchObject({
      message: 'progress(): `stages` has no entry for "SOLAR_PANELS".',
      hint: 'Add it: { stages: { "SOLAR_PANELS": … } }, or choose components: { components: ["TRENCHES"] }.',
    });
    const both = { stages: { A: ["OPEN", "CLOSED"] }, done: { A: "CLOSED" } };
    await expect(progress(own, { ...both, components: { A: "TRENCHES", B: "SOLAR_PANELS" } })).rejects.toMatchObject({
      message: 'progress(): `stages` and `done` have no entry for "B".',
      hint: 'Add it: { stages: { "B": … } }, or remove the component.',
    });
    const history = await own.history("TRENCHES");
    await expect(progress({ T: history }, { ...options, components: ["TRENCHES"] } as never)).rejects.toThrow(
      'progress() has no option "components"',
    );
  });
});
