import { type ColumnTable, table } from "arquero";
import { beforeAll, describe, expect, test } from "vitest";
import { sessionCompletions } from "../../../src/kernel/cells/session-completions.js";
import { liveCompletion } from "../../../src/kernel/protocol/replies.js";
import { fromRecords } from "../../../src/source/from-records.js";
import { mockRecord } from "../../client/mock-records.js";
import { change, dataset, definition, feature, uuid } from "../../support/records.js";

const key = uuid(1, "aaaaaaaa");
const config = { options: [{ id: "LOW", label: "Low" }, { id: "HIGH" }] };
const source = fromRecords({
  layerFeatures: Array.from({ length: 40 }, (_, at) =>
    feature(at + 1, { properties: { [key]: "LOW", Crew: at % 2 ? "North" : "South", "Due date": "2024-02-01" } }),
  ),
  propertyChanges: [
    change(1, { layer_feature_id: 1, property_key: "Crew", new_value: "East" }),
    change(2, { layer_feature_id: 1, property_key: key, new_value: "MIDDLE" }),
  ],
  propertyDefinitions: [definition(key, "Risk", { type: "OPTION", config })],
  datasets: [dataset(1)],
});
const session: Record<string, unknown> = {};

beforeAll(async () => {
  const layer = await source.layer({ site_id: 12 });
  const history = await layer.history();
  const asOf = history.asOf("2025-06-01");
  Object.assign(session, { layer, history, asOf, counts: history.counts("Crew", ["2025-06-01"]) });
  session["sites"] = table({ site: ["Llano Verde", "Sandbank"], tickets: [12, 7], park: ["A", "B"] });
  session["crews"] = table({ Crew: ["North"], lead: ["Ada"] });
  session["rows"] = [{ site: "Sandbank", n: 1 }];
});

/** Completions at the cursor, which is `|`. */
async function offered(marked: string): Promise<readonly string[]> {
  const offset = marked.indexOf("|");
  const code = marked.slice(0, offset) + marked.slice(offset + 1);
  const found = await liveCompletion(async (question) => sessionCompletions(session, question), code, offset);
  return found?.matches ?? [];
}

/** Other names may also be offered: verbs of the statement may remove or rename columns. */
const expectAtLeast = async (marked: string, expected: readonly string[]) =>
  expect(await offered(marked)).toEqual(expect.arrayContaining([...expected]));

const properties = ["Crew", "Risk"];
const ofSites = ["site", "tickets", "park"];

describe("columns of a row", () => {
  test.each([
    ["sites.filter((d) => d.|", ofSites],
    ["sites.filter((d) => d.s|", ["site"]],
    ['layer.select("|', ["id", ...properties]],
    ["sites.filter(d => d.|)", ofSites],
    ["sites.filter((d: Row, $: any) => d.|)", ofSites],
    ["sites.filter(function (d) { return d.|", ofSites],
    ["sites.filter((d) => { const x = 1; return d.ti|", ["tickets"]],
    ['sites.filter((d) => d["|', ofSites],
    ["sites.filter((d) => d['|']", ofSites],
    ['sites.derive({ n: (d) => d.tickets * 2, site: (d) => d["|', ofSites],
    ["sites.derive({ n: (d) => op.max(d.|", ofSites],
    ["sites.orderby(aq.desc((d) => d.|", ofSites],
    ["sites.filter((d) => d.tickets > 1 && d.|", ofSites],
    ["sites.filter((d) => `${d.|", ofSites],
    ['history.asOf(day).groupby("|', ["id", ...properties]],
    ['history.layerAsOf(day).table.select("|', ["id", ...properties]],
    ["Plot.dot(sites, { x: (d) => d.|", ofSites],
    ["sites.objects().map((row) => row.|", ofSites],
    ["rows.filter((row) => row.|", ["site", "n"]],
    ["sites.join(crews, (a, b) => b.|", ["Crew", "lead"]],
    ["sites.join(crews, (a, b) => a.|", ofSites],
    ["const x = sites.filter((d) => d.|);\nx.print()", ofSites],
  ])("%s", expectAtLeast);

  test.each([
    "sites.|",
    "d.|",
    "sites.filter((d) => e.|",
    "sites.filter((d) => d.site.|",
    "sites.filter((d) => ['a'].some((each) => each.|",
    "sites.filter((d) => d. site|",
    "nothing.filter((d) => d.|",
    "layer.filter((d) => 1).|",
    "((d) => d.|",
  ])("not in %s", async (marked) => {
    expect(await offered(marked.replace(". site|", ".site, |"))).toEqual([]);
  });

  test("of layers, as-of tables and answers", async () => {
    for (const path of ["layer.table", "asOf", "history.asOf('2025-01-01')"]) {
      expect(await offered(`${path}.filter((d) => d.|`), path).toEqual(expect.arrayContaining(properties));
      expect(await offered(`${path}.filter((d) => d["Due|`), path).toEqual(["Due date"]);
      expect(await offered(`${path}.filter((d) => d.Due|`), path).toEqual([]);
    }
    const layer = session["layer"] as { readonly table: ColumnTable };
    for (const owner of ["history", "(await layer.history())"]) {
      for (const question of ['asOf("2025-01-01")', 'layerAsOf("2025-01-01").table', "panel(dates)"]) {
        await expectAtLeast(`${owner}.${question}.filter((d) => d["|`, layer.table.columnNames());
      }
      await expectAtLeast(`${owner}.panel(dates).filter((d) => d["|`, ["date"]);
    }
    const ofCounts = ["date", "state", "value", "count"];
    expect(await offered('history.counts("|')).toEqual(["Crew", "Due date", "Risk"].sort());
    expect(await offered("counts.filter((d) => d.|")).toEqual(ofCounts);
    await expectAtLeast('history.counts("Crew", dates).filter((d) => d.|', ofCounts);
    expect(await offered("(await layer.history()).asOf(day).filter((d) => d.Crew|")).toEqual(["Crew"]);
    expect(await offered('history.layerAsOf("2024-01-01").table.filter((d) => d.Crew|')).toEqual(["Crew"]);
  });
});

describe("values", () => {
  const crews = ["South", "North"];
  test.each([
    ['layer.table.filter((d) => d.Crew === "|', crews],
    ['layer.table.filter((d) => d["Crew"] === "S|', ["South"]],
    ['layer.table.filter((d) => "|" === d.Crew', crews],
    ['layer.table.filter((d) => "|" !== d["Crew"]', crews],
    ['layer.table.filter((d) => ["|"].includes(d.Crew)', crews],
    ['layer.table.filter((d) => ["South", "N|"].includes(d.Crew)', ["North"]],
    ['layer.table.filter((d) => op.equal(d.Crew, "|', crews],
    ['layer.table.filter((d) => { return d.Crew === "|', crews],
    ['layer.table.filter((d) => d.Risk === "|', ["LOW", "HIGH"]],
    ['layer.table.select("Crew").derive({ n: () => 1 }).filter((d) => d.Crew === "|', crews],
    ['layer.table.filter((d) => d.Crew !== "x").filter((d) => d.Crew === "|', crews],
    ['layer.table.groupby("Crew").count().filter((d) => d.Crew === "|', crews],
    ['sites.filter((d) => d.site === "|', ["Llano Verde", "Sandbank"]],
  ])("%s", expectAtLeast);

  test.each(['asOf("2025-06-01")', 'layerAsOf("2025-06-01").table', 'panel(["2025-06-01"])'])(
    "of a history before %s are the values that features have and had",
    async (question) => {
      const found = await offered(`history.${question}.filter((d) => d.Crew === "|`);
      expect([...found].sort()).toEqual(["East", "North", "South"].sort());
    },
  );

  test("of a history's fields are the values of its layer", async () => {
    expect(await offered('history.asOf("2025-06-01").filter((d) => d.semantic_type === "|')).toEqual(
      await offered('layer.table.filter((d) => d.semantic_type === "|'),
    );
  });

  test.each([
    'history.aging("Crew", { open: "|',
    'history.aging("Crew", { open: ["|',
    'history.forecast("Crew", { done: ["North", "|',
    'history.firstReached("Crew", "|',
    'history.survival("Crew", { start: "|',
    'history.survival("Crew", { start: "North", done: "|',
    'burnDown(history, "Crew", { done: ["|',
  ])("of the column in the first argument: %s", async (marked) => {
    expect([...(await offered(marked))].sort()).toEqual(["East", "North", "South"]);
  });

  test("are not offered for options that take columns or dates", async () => {
    expect(await offered('history.aging("Crew", { by: "|')).toContain("Risk");
    expect(await offered('history.firstReached("|')).toContain("Crew");
    expect(await offered('history.counts("Crew", { from: "|')).toEqual([]);
    expect(await offered('history.aging(name, { open: "|')).not.toContain("North");
  });

  test.each([
    'history.aging("Risk", { open: "|',
    'history.firstReached("Risk", "|',
    'history.asOf("2025-06-01").filter((d) => d.Risk === "|',
  ])("of a column with choices include choices that no feature has had: %s", async (marked) => {
    expect([...(await offered(marked))].sort()).toEqual(["HIGH", "LOW", "MIDDLE"]);
  });

  test("of a column with many choices are all", async () => {
    const options = Array.from({ length: 150 }, (_, n) => ({ id: `M${n}` }));
    const many = fromRecords({
      layerFeatures: [feature(1, { properties: { [key]: "none of them" } })],
      propertyDefinitions: [definition(key, "Model", { type: "OPTION", config: { options } })],
      datasets: [dataset(1)],
    });
    session["many"] = await many.history({ site_id: 12 });
    expect(await offered('many.aging("Model", { open: "|')).toEqual([...options.map(({ id }) => id), "none of them"]);
  });

  test("of a column of labels are labels", async () => {
    session["labels"] = await source.layer({ site_id: 12 }, { optionLabels: true });
    session["labelled"] = await source.history({ site_id: 12 }, { optionLabels: true });
    expect(await offered('labels.table.filter((d) => d.Risk === "|')).toEqual(["Low", "HIGH"]);
    expect([...(await offered('labelled.aging("Risk", { open: "|'))].sort()).toEqual(["HIGH", "Low", "MIDDLE"]);
  });

  test("of a history that the statement reads first are the choices of its layer", async () => {
    const question = '(await layer.history()).asOf("2025-06-01")';
    expect(await offered(`${question}.filter((d) => d.Risk === "|`)).toEqual(["LOW", "HIGH"]);
    expect([...(await offered(`${question}.filter((d) => d.Crew === "|`))].sort()).toEqual(["North", "South"]);
  });

  test("of an as-of table are its values", async () => {
    expect(await offered('asOf.filter((d) => d.Crew === "|')).toEqual(["East", "North", "South"].sort());
  });
});

describe("columns that calls in the statement add", () => {
  test.each([
    ["sites.derive({ twice: (d) => d.tickets * 2 }).filter((d) => d.|", [...ofSites, "twice"]],
    ['sites.select({ site: "name" }).filter((d) => d.|', ["name"]],
    ["sites.select(chosen).filter((d) => d.|", ofSites],
    ['sites.rename({ site: "name" }).filter((d) => d.|', ["name", "tickets", "park"]],
    ['sites.groupby("park").count().filter((d) => d.|', ["park", "count"]],
    ['sites.groupby("park").count({ as: "n" }).filter((d) => d.|', ["park", "n"]],
    ['sites.groupby("park").rollup({ most: (d) => op.max(d.tickets) }).filter((d) => d.|', ["park", "most"]],
    ["sites.groupby({ first: (d) => d.site }).count().filter((d) => d.|", ["first", "count"]],
    ["sites.rollup({ n: op.count() }).filter((d) => d.|", ["n"]],
    ['sites.fold(["site", "park"], { as: ["what", "is"] }).filter((d) => d.|', ["tickets", "what", "is"]],
    ["sites.derive({ Crew: () => 'North' }).join(crews).filter((d) => d.|", [...ofSites, "Crew", "lead"]],
    ['sites.lookup(crews, ["site", "Crew"], "lead").filter((d) => d.|', [...ofSites, "lead"]],
    ['sites.filter((d) => d.tickets > 1).orderby("site").reify().filter((d) => d.|', ofSites],
    ['sites.spread("park", { as: ["a", "b"] }).filter((d) => d.|', ["site", "tickets", "a", "b"]],
    ['sites.unroll("park", { drop: ["site"], index: true }).filter((d) => d.|', ["tickets", "park", "index"]],
    ["aq.table({ a: [1], b: [2] }).filter((d) => d.|", ["a", "b"]],
    ["aq.from([{ a: 1, b: 2 }]).filter((d) => d.|", ["a", "b"]],
    ["aq.from(rows).filter((d) => d.|", ["site", "n"]],
    ["const late = sites.derive({ x: () => 1 });\nlate.filter((d) => d.|", [...ofSites, "x"]],
    [
      "const late = sites\n  .select('site')\nconst more = late.derive({ y: () => 2 })\nmore.filter((d) => d.|",
      ["site", "y"],
    ],
    ["const { rows } = x; let t = (await f()).g(); sites.filter((d) => d.|", ofSites],
    ['sites.derive({ x: () => 1 }).groupby("|', [...ofSites, "x"]],
  ])("%s", expectAtLeast);
});

describe("columns of the other table", () => {
  const ofCrews = ["Crew", "lead"];
  test.each([
    ['sites.join(crews, ["|', ofSites],
    ['sites.join(crews, ["site", "|"])', ofCrews],
    ['sites.join_left(crews, [["site"], ["|', ofCrews],
    ['sites.semijoin(crews, ["site", "C|', ["Crew"]],
    ['sites.lookup(crews, ["site", "Crew"], "|', ofCrews],
  ])("%s", expectAtLeast);
});

test("values of a source that replaces person data are pseudonyms", async () => {
  const people = fromRecords({ operations: [{ ...mockRecord("operations", 1), contact_name: "Ada Lovelace" }] });
  Object.assign(session, { known: await people.operations(), hidden: await people.operations({}, { redact: true }) });
  expect(await offered('known.filter((d) => d.contact_name === "|')).toEqual(["Ada Lovelace"]);
  expect(await offered('hidden.filter((d) => d.contact_name === "|')).toEqual([
    expect.stringMatching(/^person-[0-9a-f]{10}$/),
  ]);
});

test("completion runs no code of other objects, and offers nothing that needs it", async () => {
  const ran = () => {
    throw new Error("ran");
  };
  const column = { length: 2, at: ran, [Symbol.iterator]: ran };
  session["strange"] = table({ a: column as never });
  session["proxied"] = new Proxy({}, { get: ran, getOwnPropertyDescriptor: ran, ownKeys: ran, has: ran });
  expect(await offered("strange.filter((d) => d.|")).toEqual(["a"]);
  expect(await offered('strange.filter((d) => d.a === "|')).toEqual([]);
  expect(await offered("proxied.derive({ x: 1 }).filter((d) => d.|")).toEqual([]);
});
