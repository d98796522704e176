import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";
import { expect, expectTypeOf, it } from "vitest";
import { fromRecords, type Params } from "../../src/index.js";
import { declareTypes } from "../../src/source/declare-types.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { dataset, definition, feature, uuid } from "../support/records.js";

const ids = { size: uuid(1), state: uuid(2), made: uuid(3), panel: uuid(4), odd: uuid(5), open: uuid(6) };
const choice = (...codes: readonly string[]) => ({
  type: "OPTION",
  config: { options: codes.map((code) => ({ value: code, label: `The ${code}` })) },
});
const source = fromRecords({
  datasets: [dataset(1), dataset(2, { semantic_type: "punch list-2" }), dataset(3, { semantic_type: "RGB" })],
  propertyDefinitions: [
    definition(ids.size, "Size", { type: "FLOAT", description: "How long */ it is" }),
    definition(ids.state, 'Trench "type"', choice("AC", "DC")),
    definition(ids.made, "Made on", { type: "DATE" }),
    definition(ids.panel, "Panel", { type: "RELATIONSHIP" }),
    definition(ids.odd, "Odd", { type: "FLOAT" }),
    definition(ids.open, "Open", choice("A")),
  ],
  layerFeatures: [
    feature(1, {
      properties: {
        ...{ STATUS: "OPEN", PROGRESS: 5, [ids.size]: 1.5, [ids.state]: "AC", [ids.made]: "2024-06-01" },
        ...{ [ids.panel]: [7], [ids.odd]: "much", [ids.open]: "B" },
      },
    }),
    feature(2, { semantic_type: "punch list-2", dataset_id: 2, properties: { STATUS: "OPEN" } }),
  ],
});

it("declares the types of definitions and of values", async () => {
  const { text, names } = await declareTypes(source, { optionLabels: false });
  expect(Object.fromEntries(names)).toEqual({ TRENCHES: "Trenches", "punch list-2": "PunchList2" });
  expect(text).toContain("export interface Trenches extends FeatureRow {");
  for (const member of [
    'readonly "STATUS": string | null;',
    'readonly "PROGRESS": number | null;',
    'readonly "Size": number | null;',
    'readonly "Trench \\"type\\"": "AC" | "DC" | readonly ("AC" | "DC")[] | null;',
    'readonly "Made on": string | null;',
    'readonly "Panel": number | readonly number[] | null;',
    'readonly "Odd": number | string | null;',
    'readonly "Open": "A" | readonly ("A")[] | (string & {}) | null;',
  ]) {
    expect(text).toContain(member);
  }
  const labelled = await declareTypes(source, { optionLabels: true, semanticTypes: ["TRENCHES"] });
  expect(labelled.text).toContain('"The AC" | "The DC"');
  expect([...labelled.names.values()]).toEqual(["Trenches"]);
});

it("gives every semantic type a valid and unique name", async () => {
  const odd = [
    "",
    " ",
    "2D",
    "½",
    'a"b',
    "A-B",
    "*/",
    "a\0b",
    "Feature_Row",
    "feature row 2",
    "日本",
    "x\ud83d",
    "constructor",
    "__proto__",
  ];
  const { text, names } = await declareTypes(
    fromRecords({
      datasets: odd.map((semantic_type, n) => dataset(n + 1, { semantic_type })),
      layerFeatures: odd.map((semantic_type, n) => {
        return feature(n + 1, { semantic_type, dataset_id: n + 1, properties: { [`K${n}`]: 1 } });
      }),
    }),
    { optionLabels: false },
  );
  expect([...names.keys()].sort()).toEqual([...odd].sort());
  expect(new Set([...names.values(), "FeatureRow"]).size).toBe(odd.length + 1);
  expect([names.get(""), names.get("2D"), names.get("Feature_Row")]).toEqual(["Layer", "Layer2d", "FeatureRow2"]);
  for (const [n] of odd.entries()) expect(text).toContain(`readonly "K${n}": number | null;`);
  const parsed = ts.createSourceFile("site.d.ts", text, ts.ScriptTarget.ESNext);
  const declared = parsed.statements.flatMap((one) => (ts.isInterfaceDeclaration(one) ? [one.name.text] : []));
  expect(declared).toEqual([...names.values()]);
  expect((parsed as unknown as { parseDiagnostics: readonly unknown[] }).parseDiagnostics).toEqual([]);
});

it("declares relations and options as the values are", async () => {
  const [related, chosen] = [uuid(1, "aaaaaaaa"), uuid(2, "aaaaaaaa")];
  const typesOf = async (...rows: readonly (readonly [unknown, unknown])[]) => {
    const { text } = await declareTypes(
      fromRecords({
        datasets: [dataset(1)],
        propertyDefinitions: [
          definition(related, "About", { type: "RELATIONSHIP" }),
          definition(chosen, "Choice", choice("A", "B")),
        ],
        layerFeatures: rows.map(([relation, option], n) =>
          feature(n + 1, { properties: { [related]: relation, [chosen]: option } }),
        ),
      }),
      { optionLabels: false },
    );
    return [...text.matchAll(/readonly "(?:About|Choice)": (.*);/g)].map(([, type]) => type);
  };
  const codes = '"A" | "B" | readonly ("A" | "B")[]';
  expect(
    await typesOf(
      [7, "A"],
      [
        [7, 8],
        ["A", "B"],
      ],
      [null, null],
    ),
  ).toEqual(["number | readonly number[] | null", `${codes} | null`]);
  expect(await typesOf([{ id: 7 }, ["A", "C"]], ["7", 5])).toEqual([
    "number | readonly number[] | string | { readonly [name: string]: unknown } | null",
    `${codes} | number | readonly string[] | null`,
  ]);
  expect(await typesOf([["7"], { code: "A" }], [[7, null], "C"])).toEqual([
    "number | readonly number[] | readonly string[] | readonly unknown[] | null",
    `${codes} | { readonly [name: string]: unknown } | (string & {}) | null`,
  ]);
});

it("refuses an unknown semantic type, or one without features", async () => {
  const declare = (...semanticTypes: readonly string[]) => declareTypes(source, { optionLabels: false, semanticTypes });
  await expect(declare("TRENCHES", "TRENCHS")).rejects.toMatchObject({
    name: "ArgumentError",
    message: 'siteframe types: unknown semantic type "TRENCHS".',
    hint: 'Did you mean "TRENCHES"?',
  });
  await expect(declare("NONE")).rejects.toMatchObject({ hint: expect.stringContaining('"RGB", "TRENCHES"') });
  await expect(declare("RGB")).rejects.toThrow('the semantic type "RGB" has no features.');
  await expect(
    declareTypes(source, { optionLabels: false, semanticTypes: ["RGB"], siteIds: [12, 13] }),
  ).rejects.toThrow('the semantic type "RGB" has no features in sites 12, 13');
});

it("compiles, and types the rows of a layer", async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  symlinkSync(resolve("."), join(folder, "node_modules", "siteframe"), "junction");
  const { text } = await declareTypes(source, { optionLabels: false });
  writeFileSync(join(folder, "site.d.ts"), text);
  writeFileSync(
    join(folder, "use.ts"),
    `import { connect, type RowTable } from "siteframe";
     import type { Trenches } from "./site.js";
     const table: RowTable<Trenches> = (await connect().layer<Trenches>({ semantic_type: "TRENCHES" })).table;
     const size: number | null = table.get("Size", 0);
     const ids: readonly number[] = table.objects().map(({ id }) => id);
     const made: Date = table.get("created_at", 0);
     const wrong = table.objects()[0]?.['Trench "type"'] === "HV";
     console.log(size, ids, made, wrong);`,
  );
  const program = ts.createProgram([join(folder, "use.ts")], {
    ...{ strict: true, noEmit: true, skipLibCheck: true, target: ts.ScriptTarget.ES2022 },
    ...{ module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
  });
  const found = ts
    .getPreEmitDiagnostics(program)
    .map(({ code, messageText }) => `${code} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`);
  // The codes of the option are known, and "HV" is not among them.
  expect(found).toEqual([expect.stringMatching(/^2367 .*no overlap/)]);
});

it("accepts any string as a semantic type", () => {
  const text: string = "MY_OWN";
  const own: Params<"layerFeatures"> = { semantic_type: text };
  const listed: Params<"datasets"> = { semantic_type: ["TRENCHES", null, "MY_OWN"] };
  expectTypeOf<"TRENCHES">().toExtend<NonNullable<Params<"layerFeatures">["semantic_type"]>>();
  expect([own.semantic_type, listed.semantic_type]).toEqual(["MY_OWN", ["TRENCHES", null, "MY_OWN"]]);
});
