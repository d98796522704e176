import { inspect } from "node:util";
import { describe, expect, expectTypeOf, it } from "vitest";
import { fromRecords, type History, type Layer, type RowTable } from "../../src/index.js";
import { toMimeBundle } from "../../src/tables/display/to-mime-bundle.js";
import { site } from "../snapshot/moving-service.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { change, dataset, definition, feature, uuid } from "../support/records.js";
import { everySource, openEverySource } from "./every-source.js";

const folder = temporaryFolder();
const records = {
  sites: [
    { ...site(12), name: "Llano Verde" },
    { ...site(13), name: "Monte Alto" },
    { ...site(14), name: "Monte Alto" },
    { ...site(15), name: "monte bajo" },
  ],
  datasets: [
    { ...dataset(1, { name: "Tickets", semantic_type: "PUNCH_LIST_ITEMS" }), type: "geojson-layer" },
    { ...dataset(2, { name: "Thermal", semantic_type: "SOLAR_ANOMALIES" }), type: "geojson-layer" },
    { ...dataset(3, { name: "Thermal", semantic_type: "DEVIATIONS" }), type: "geojson-layer" },
    { ...dataset(4, { name: "Ortho", semantic_type: "RGB" }), type: "tile-layer" },
    { ...dataset(5, { name: "Elsewhere", site_id: 13 }), type: "geojson-layer" },
  ],
  propertyDefinitions: [definition(uuid(7), "Severity")],
  layerFeatures: [
    feature(1, { semantic_type: "PUNCH_LIST_ITEMS", properties: { STATUS: "OPEN", [uuid(7)]: "high" } }),
    feature(2, { semantic_type: "SOLAR_ANOMALIES", dataset_id: 2 }),
    feature(3, { semantic_type: "DEVIATIONS", dataset_id: 3 }),
    feature(4, { semantic_type: "PUNCH_LIST_ITEMS", site_id: 13, dataset_id: 5 }),
  ],
  propertyChanges: [change(1)],
};

const source = openEverySource(folder, records);

describe.each(everySource)("a site of a %s source", (name) => {
  it("is found by id and by name, ignoring case", async () => {
    const found = await Promise.all([12, "Llano Verde", "llano verde"].map((one) => source(name).site(one)));
    expect(found.map(({ id, name: called }) => [id, called])).toEqual(Array(3).fill([12, "Llano Verde"]));
  });

  it("is printed with its id and name", async () => {
    const found = await source(name).site(12);
    expect(inspect(found)).toBe('Site 12: "Llano Verde"');
    expect(await toMimeBundle(found)).toEqual({ "text/plain": inspect(found) });
  });

  it("suggests similar names, and lists the ids of sites with the same name", async () => {
    await expect(source(name).site("Llano Verd")).rejects.toMatchObject({
      ...{ message: 'Unknown site "Llano Verd".', hint: 'Did you mean "Llano Verde"?' },
    });
    await expect(source(name).site("monte")).rejects.toMatchObject({
      hint: 'Did you mean "Monte Alto" or "monte bajo"?',
    });
    await expect(source(name).site("Nowhere at all")).rejects.toMatchObject({
      hint: expect.stringMatching(/^Available: "Llano Verde" \(12\), "Monte Alto" \(13\)/),
    });
    await expect(source(name).site(16)).rejects.toMatchObject({ hint: expect.stringContaining("Did you mean") });
    await expect(source(name).site("Monte Alto")).rejects.toMatchObject({
      ...{ message: '2 sites are called "Monte Alto".', hint: "Pass an id: 13, 14." },
    });
  });

  it("has layers by semantic type and by the name of a dataset", async () => {
    const llano = await source(name).site("Llano Verde");
    expect((await llano.layers()).objects()).toEqual([
      { name: "Tickets", semantic_type: "PUNCH_LIST_ITEMS", dataset_id: 1, operation_id: null, status: "COMPLETED" },
      { name: "Thermal", semantic_type: "SOLAR_ANOMALIES", dataset_id: 2, operation_id: null, status: "COMPLETED" },
      { name: "Thermal", semantic_type: "DEVIATIONS", dataset_id: 3, operation_id: null, status: "COMPLETED" },
    ]);
    const ids = async (layer: string) => (await llano.layer(layer)).table.array("id");
    expect(await ids("PUNCH_LIST_ITEMS")).toEqual([1]);
    expect(await ids("tickets")).toEqual([1]);
    expect(await ids("Thermal")).toEqual([2, 3]);
    expect((await llano.history("Tickets", { timeZone: "Europe/Madrid" })).length).toBe(1);
    expect((await llano.layer("Tickets", { optionLabels: true, redact: true })).rowCount).toBe(1);
    expect((await llano.operations()).numRows()).toBe(0);
    await expect(llano.layer("Ticket")).rejects.toMatchObject({
      ...{ message: 'Llano Verde has no layer "Ticket".', hint: 'Did you mean "Tickets"?' },
    });
    await expect(llano.layer("Ortho")).rejects.toMatchObject({ hint: expect.stringContaining("Available") });
  });
});

it("infers the types of rows", async () => {
  interface Ticket {
    readonly id: number;
    readonly STATUS: string | null;
  }
  const memory = source("memory");
  const sites = await memory.sites();
  expectTypeOf(sites.get("name", 0)).toEqualTypeOf<string>();
  expectTypeOf(sites.orderby("id").objects()[0]?.stage).toEqualTypeOf<
    "PLANNING" | "CONSTRUCTION" | "OPERATION" | undefined
  >();
  expectTypeOf((await memory.operations()).get("date_start", 0)).toEqualTypeOf<Date | null>();
  const layer = await (await memory.site(12)).layer<Ticket>("Tickets");
  expectTypeOf(layer).toEqualTypeOf<Layer<RowTable<Ticket>>>();
  expectTypeOf(layer).toExtend<Layer>();
  const history = await layer.history();
  expectTypeOf(history).toExtend<History>();
  expectTypeOf(history.asOf("2024-06-30").objects()).toEqualTypeOf<Ticket[]>();
  expectTypeOf(history.knownAt(uuid(1)).asOf("2024-06-30").get("STATUS", 0)).toEqualTypeOf<string | null>();
  expectTypeOf(layer.table.get("STATUS", 0)).toEqualTypeOf<string | null>();
  // Columns of unknown type cannot be used without a check.
  expectTypeOf(layer.table.get("created_at", 0)).toBeUnknown();
  expectTypeOf(layer.table.array("created_at")).toEqualTypeOf<unknown[]>();
  expectTypeOf(history.changes().array("created_at")).toEqualTypeOf<Date[]>();
  // Verbs that add columns return rows of any type.
  expectTypeOf(layer.table.groupby("STATUS").count().object().count).toBeAny();
  for (const change of history.changes()) expectTypeOf(change.created_at).toEqualTypeOf<Date>();
  expect(
    history
      .asOf("2024-06-30")
      .filter((row) => row.STATUS === "OPEN")
      .objects(),
  ).toMatchObject([{ id: 1 }]);
});

it("suggests a similar column name, also after verbs of Arquero", async () => {
  const { table } = await (await source("memory").site(12)).layer("Tickets");
  for (const shown of [table, table.filter("d => true"), table.derive({ twice: "d => 2 * d.id" })]) {
    for (const ask of [() => shown.get("STATSU", 0), () => shown.array("STATSU"), () => shown.getter("STATSU")]) {
      expect(ask).toThrow(
        expect.objectContaining({
          name: "ArgumentError",
          message: 'The table has no column "STATSU".',
          hint: 'Did you mean "STATUS"?',
          facts: { column: "STATSU" },
        }),
      );
    }
  }
  expect(() => table.get("wholly elsewhere", 0)).toThrow(
    expect.objectContaining({ hint: expect.stringMatching(/^It has: "id", "visible_id", "STATUS"/) }),
  );
  // Other results are those of Arquero.
  expect([table.column("STATSU"), table.filter("d => false").array("STATSU")]).toEqual([undefined, []]);
  expect([table.get("STATUS"), table.get("STATUS", 9), table.getter("STATUS")(0)]).toEqual(["OPEN", undefined, "OPEN"]);
});

it("finds names in any Unicode normalization", async () => {
  const [composed, apart] = ["Café Solar", "Café Solar".normalize("NFD")];
  expect(composed).not.toBe(apart);
  for (const [written, name] of [
    [composed, apart],
    [apart, composed],
    [apart, ` ${composed.toUpperCase()}`],
  ] as const) {
    const found = await fromRecords({ sites: [{ ...site(7), name: written }, site(8)] }).site(name);
    expect([found.id, found.name]).toEqual([7, written]);
  }
  const both = fromRecords({
    sites: [
      { ...site(7), name: composed },
      { ...site(8), name: apart },
    ],
  });
  expect([(await both.site(apart)).id, (await both.site(composed)).id, (await both.site(8)).id]).toEqual([8, 7, 8]);
});
