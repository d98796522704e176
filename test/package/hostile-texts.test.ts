import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type ColumnTable, from } from "arquero";
import { strFromU8, unzipSync } from "fflate";
import { parseHTML } from "linkedom";
import { lexer, type Token, walkTokens } from "marked";
import sqlite from "node-sqlite3-wasm";
import ts from "typescript";
import { beforeAll, describe, expect, test } from "vitest";
import type { Site } from "../../src/api/resources.js";
import { markData } from "../../src/cli/mcp/data-mark.js";
import { ArgumentError, fromRecords, type History, type Layer, show } from "../../src/index.js";
import type { Output } from "../../src/notebook/file/notebook.js";
import { toPercentScript } from "../../src/notebook/file/percent-script.js";
import { toEml } from "../../src/notebook/page/to-eml.js";
import { toHtml } from "../../src/notebook/page/to-html.js";
import { toIndexHtml } from "../../src/notebook/page/to-index-html.js";
import * as plots from "../../src/plot/index.js";
import { declareTypes } from "../../src/source/declare-types.js";
import { html, md, svg } from "../../src/tables/display/markup-tags.js";
import { toMimeBundle } from "../../src/tables/display/to-mime-bundle.js";
import { code, markdown, notebookOf } from "../notebook/cells.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { harmlessText, hostileTexts } from "../support/hostile-texts.js";
import { change, dataset, definition, feature, uuid } from "../support/records.js";

const folder = temporaryFolder();

/** The same number of different harmless strings. */
const harmlessTexts = hostileTexts.map((_, index) => `${harmlessText} ${index}`);

/** A company in which all names and values are the given strings. */
interface Company {
  readonly texts: readonly string[];
  readonly layer: Layer;
  readonly history: History;
  /** Texts as names of columns and as values. */
  readonly table: ColumnTable;
}

async function companyOf(texts: readonly string[]): Promise<Company> {
  const at = (index: number) => texts[index % texts.length] as string;
  const keys = texts.map((_, index) => uuid(index + 1, "11111111"));
  const propertyDefinitions = texts.map((text, index) =>
    definition(uuid(index + 1, "11111111"), text, {
      description: text,
      ...(index === 0
        ? { type: "OPTION", config: { options: texts.map((label, n) => ({ value: `v${n}`, label })) } }
        : {}),
      ...(index === 1 ? { type: "FLOAT", config: { unit: text } } : {}),
    }),
  );
  const valueAt = (column: number, row: number) => (column === 0 ? `v${row}` : column === 1 ? row : at(row + column));
  const layerFeatures = texts.map((text, row) =>
    feature(row + 1, {
      visible_id: text,
      description: text,
      semantic_type: "TRENCHES",
      properties: { STATUS: text, ...Object.fromEntries(keys.map((key, column) => [key, valueAt(column, row)])) },
      geometry: { type: "Point", coordinates: [11 + row / 1000, 48] },
      created_at: "2024-03-01T08:00:00Z",
    }),
  );
  const propertyChanges = texts.flatMap((_, row) =>
    [0, 1, 2].map((step) =>
      change(3 * row + step + 1, {
        layer_feature_id: row + 1,
        new_value: at(row + step),
        created_at: `2024-03-${String(2 + 3 * step).padStart(2, "0")}T09:00:00Z`,
      }),
    ),
  );
  const site: Site = {
    ...{ id: 12, company_id: 3, name: at(0), type: "SOLAR" as const, stage: "PLANNING" as const, coordinates: null },
    ...{ geo_area: 1, peak_power: null, ac_power: null },
    ...{ address_line1: at(0), address_line2: at(1), address_line3: at(2) },
  };
  const source = fromRecords(
    { sites: [site], datasets: [dataset(1, { name: at(0) })], propertyDefinitions, layerFeatures, propertyChanges },
    { readAt: new Date("2024-03-31T00:00:00Z") },
  );
  return {
    texts,
    layer: await source.layer({ site_id: 12 }),
    history: await source.history({ site_id: 12 }),
    table: from(texts.map((_, row) => Object.fromEntries(texts.map((name, column) => [`${name}`, at(row + column)])))),
  };
}

/** Elements, attributes, link targets and text of markup. */
interface Reading {
  readonly elements: ReadonlySet<string>;
  readonly links: ReadonlySet<string>;
  readonly texts: string;
}

/** Reads a document, and those in its frames. */
function readHtml(source: string): Reading {
  const { document } = parseHTML(`<html><body>${source.replace(/^\s*<!doctype html>/i, "")}</body></html>`);
  const elements = new Set<string>();
  const links = new Set<string>();
  const texts: string[] = [];
  for (const element of document.querySelectorAll("body *")) {
    const name = element.localName;
    elements.add(name);
    if (element.children.length === 0) texts.push(element.textContent ?? "");
    for (const { name: attribute, value } of element.attributes) {
      elements.add(`${name}[${attribute}]`);
      texts.push(value);
      if (["href", "src", "action", "xlink:href"].includes(attribute) && !/^(?:data:|#)/.test(value)) links.add(value);
      if (attribute === "srcdoc") {
        const inner = readHtml(value);
        for (const one of inner.elements) elements.add(`frame ${one}`);
        for (const link of inner.links) links.add(link);
        texts.push(inner.texts);
      }
    }
  }
  texts.push(document.body.textContent ?? "");
  return { elements, links, texts: texts.join("\n") };
}

/** Characters without spaces and invisible characters: displays change line breaks. */
function visible(text: string): string {
  return text.replace(/[\s\p{Cc}\p{Cf}\p{Cs}\ufffd]+/gu, "");
}

/** Outputs that must not contain control or bidirectional characters. */
function expectPrintable(text: string): void {
  expect(text).not.toMatch(/(?![\n\t])\p{Cc}/u);
}

let hostile: Company;
let harmless: Company;
/** Companies with few strings, since charts omit labels without room. */
let parts: readonly (readonly [hostile: Company, harmless: Company])[] = [];

beforeAll(async () => {
  hostile = await companyOf(hostileTexts);
  harmless = await companyOf(harmlessTexts);
  const size = 6;
  const starts = Array.from({ length: Math.ceil(hostileTexts.length / size) }, (_, part) => part * size);
  parts = await Promise.all(
    starts.map(
      async (start) =>
        [
          await companyOf(hostileTexts.slice(start, start + size)),
          await companyOf(harmlessTexts.slice(start, start + size)),
        ] as const,
    ),
  );
});

/** The bundle of a value in notebooks. */
async function bundleOf(value: unknown): Promise<Readonly<Record<string, unknown>>> {
  return { ...(await toMimeBundle(value)) };
}

/** Markup that depends on the length of strings, such as legends without room for labels, and on diagnostics about names. */
const layout =
  /^(?:frame )?(?:(?:details|summary|ul|li|tspan)(?:\[(?:style|open|x|y|dy)\])?|rect(?:\[(?:width|height)\])?|td\[title\]|table\[class\])$/;

async function expectSameMarkup(make: (company: Company) => unknown): Promise<void> {
  for (const [bad, good] of parts) {
    const [one, other] = [await bundleOf(await make(bad)), await bundleOf(await make(good))];
    const [is, should] = [readHtml(String(one["text/html"])), readHtml(String(other["text/html"]))];
    const added = [...is.elements].filter((one) => !should.elements.has(one) && !layout.test(one));
    expect({ added, texts: bad.texts }).toEqual({ added: [], texts: bad.texts });
    expect(is.links).toEqual(should.links);
    expectPrintable(String(one["text/plain"]));
  }
}

const dates = ["2024-03-03", "2024-03-06", "2024-03-20"];
const ends = ({ texts }: Company) => ({ done: texts.at(-1) });

/** Values with a display. */
const displays: Readonly<Record<string, (company: Company) => unknown>> = {
  layer: ({ layer }) => layer,
  history: ({ history }) => history,
  table: ({ table }) => table,
  "live table": ({ table }) => show(table, { limit: 100 }),
  diff: ({ history }) => history.diff("2024-03-03", "2024-03-20"),
  describe: ({ layer }) => layer.describe(),
  kpis: ({ texts }) =>
    plots.kpis(
      texts.map((text) => ({ label: text, value: text, note: text })),
      { since: texts[0] },
    ),
  sparklines: ({ history, texts }) =>
    plots.sparklines(history.counts("STATUS", dates), {
      by: "value",
      x: "date",
      y: "count",
      ...(texts[0] ? { unit: texts[0] } : {}),
    }),
  featureCards: ({ layer, texts }) =>
    plots.featureCards(layer, {
      columns: [...layer.table.columnNames()].filter((name) => texts.includes(name)).slice(2),
    }),
  burnDown: (company) => plots.burnDown(company.history, "STATUS", { dates, ...titles(company) }),
  cumulativeFlow: (company) => plots.cumulativeFlow(company.history, "STATUS", { dates, ...titles(company) }),
  sCurve: (company) => plots.sCurve(company.history, "STATUS", { dates, ...titles(company) }),
  timeInStatus: (company) => plots.timeInStatus(company.history, "STATUS", titles(company)),
  transitionMap: (company) => plots.transitionMap(company.history, "STATUS", titles(company)),
  valueOverTime: (company) => plots.valueOverTime(company.history, "STATUS", titles(company)),
  editHeatmap: (company) => plots.editHeatmap(company.history, titles(company)),
  lateEdits: (company) => plots.lateEdits(company.history, titles(company)),
  aging: (company) =>
    plots.aging(company.history, "STATUS", { open: company.texts.slice(0, 2), by: "visible_id", ...titles(company) }),
  cycleTimeScatter: (company) =>
    plots.cycleTimeScatter(company.history, "STATUS", { ...ends(company), ...titles(company) }),
  workInProgress: (company) =>
    plots.workInProgress(company.history, "STATUS", { ...ends(company), ...titles(company) }),
  histogram: (company) => plots.histogram(company.history.durations("STATUS"), "days", titles(company)),
  lines: (company) =>
    plots.lines(company.history.counts("STATUS", dates), { y: "count", by: "value", ...titles(company) }),
  pareto: (company) =>
    plots.pareto(company.history.durations("STATUS"), { by: "value", measure: "days", ...titles(company) }),
  layerMap: (company) => plots.layerMap(company.layer, "STATUS", titles(company)),
  mapPanels: (company) => plots.mapPanels(company.history, "STATUS", { dates, ...titles(company) }),
  mapAnimation: (company) => plots.mapAnimation(company.history, "STATUS", { dates, ...titles(company) }),
  plot: ({ texts }) =>
    plots.plot({
      ...{ title: texts[0], subtitle: texts[1], caption: texts[2] },
      marks: [
        plots.Plot.barY(
          texts.map((x) => ({ x, y: 1 })),
          { x: "x", y: "y", fill: "x", title: "x", tip: true },
        ),
      ],
    }),
  "html`…`": ({ texts }) => html`<p title="${texts[0]}">${texts}</p>`,
};

function titles({ texts }: Company) {
  return { title: texts[0] as string, subtitle: texts[1] as string, caption: texts[2] as string };
}

describe.each(Object.entries(displays))("%s", (_, make) => {
  test("has the same elements, attributes and links as with harmless strings", () => expectSameMarkup(make));
});

test("tables show each text", async () => {
  const { elements, texts } = readHtml(String((await bundleOf(show(hostile.table, { limit: 100 })))["text/html"]));
  expect(elements.has("td")).toBe(true);
  for (const text of hostileTexts) expect(visible(texts), text).toContain(visible(text));
});

describe("pages", () => {
  const outputs = (...bundles: Readonly<Record<string, unknown>>[]) =>
    bundles.map((data): Output => ({ output_type: "display_data", data, metadata: {} }));

  test("show values in Markdown, HTML and SVG as text", async () => {
    const page = async (text: string) => {
      const values = [
        md`Comment: ${text}`,
        md`# ${text}`,
        md`| a |
|---|
| ${text} |`,
        html`<p>${text}</p>`,
        svg`<svg><text>${text}</text></svg>`,
      ];
      const bundles = await Promise.all(values.map(bundleOf));
      return readHtml(toHtml(notebookOf({ ...code("x"), outputs: outputs(...bundles) })));
    };
    const should = await page("plain");
    for (const text of hostileTexts) {
      const is = await page(text);
      const added = [...is.elements].filter((one) => !should.elements.has(one) && one !== "br");
      expect({ text, added }).toEqual({ text, added: [] });
      expect([...is.links], text).toEqual([...should.links]);
      expect(visible(is.texts), text).toContain(visible(text));
    }
  });

  test("show titles, names and printed text as text", () => {
    const page = (text: string) => {
      const printed: Output[] = [
        { output_type: "stream", name: "stdout", text },
        { output_type: "error", ename: text, evalue: text, traceback: [text] },
        ...outputs({ "text/plain": text }),
      ];
      const meta = { title: text, indexHref: "index.html" };
      const page = notebookOf(markdown("# fixed"), { ...code("x", text), outputs: printed });
      return [
        toHtml(page, meta),
        toIndexHtml([{ href: "x.html", notebook: page, status: "ok", durationMs: 1 }], text),
      ].map(readHtml);
    };
    const [shouldPage, shouldIndex] = page("plain");
    for (const text of hostileTexts) {
      // Colors and links of terminals are shown as such in printed text.
      if (/\p{Cc}/u.test(text.replace(/\s/g, ""))) continue;
      const [isPage, isIndex] = page(text);
      expect({ text, page: isPage?.elements }).toEqual({ text, page: shouldPage?.elements });
      expect({ text, index: isIndex?.elements }).toEqual({ text, index: shouldIndex?.elements });
      expect(isPage?.links).toEqual(shouldPage?.links);
    }
  });
});

test("Markdown of values contains only text", () => {
  const kinds = (text: string) => {
    const found = new Set<string>();
    walkTokens(lexer(String(md`Comment: ${text}`)), (token: Token) => void found.add(token.type));
    return [...found].filter((kind) => !["escape", "br", "html", "space"].includes(kind));
  };
  for (const text of hostileTexts) expect({ text, kinds: kinds(text) }).toEqual({ text, kinds: ["paragraph", "text"] });
});

test("Arquero's toHTML() and toMarkdown() write names and values as text", () => {
  for (const [index, text] of hostileTexts.entries()) {
    const [bad, good] = [text, `${harmlessText} ${index}`].map((one) => from([{ [`${one}.`]: one }]));
    const [is, should] = [bad, good].map((table) => readHtml(String(table?.toHTML())));
    expect({ text, elements: is?.elements }).toEqual({ text, elements: should?.elements });
    expect(visible(is?.texts ?? ""), text).toContain(visible(text));
    const shape = (table: ColumnTable | undefined) => {
      const found: string[] = [];
      walkTokens(lexer(String(table?.toMarkdown())), (token: Token) => void found.push(token.type));
      return new Set(found.filter((kind) => !["escape", "html", "space", "text"].includes(kind)));
    };
    expect({ text, tokens: shape(bad) }).toEqual({ text, tokens: shape(good) });
  }
});

/** Fields of CSV, strictly by RFC 4180. */
function readCsv(csv: string): string[][] {
  const rows: string[][] = [[]];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;
  while (field.lastIndex < csv.length) {
    const [, quoted, plain = "", end] = field.exec(csv) ?? [];
    if (end === undefined) throw new Error(`invalid CSV at ${csv.slice(0, 80)}`);
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end !== ",") rows.push([]);
  }
  return rows.slice(0, -1);
}

describe("files", () => {
  test("CSV contains the strings, and no formulas", async () => {
    for (const formulas of ["escape", "keep"] as const) {
      const csv = await hostile.layer.toCSV({ formulas });
      const rows = readCsv(csv.replace(/^\ufeff/, ""));
      expect(new Set(rows.map((row) => row.length)).size).toBe(1);
      const at = rows[0]?.indexOf("visible_id") ?? -1;
      const texts = rows.slice(1).map((row) => row[at] ?? "");
      if (formulas === "keep") expect(texts).toEqual(hostileTexts);
      else {
        for (const text of texts) expect(text).not.toMatch(/^[\s\ufeff]*[=+\-@＝＋－＠]|^[\t\r\n]/);
        expect(texts.map((text) => text.replaceAll("'", ""))).toEqual(
          hostileTexts.map((text) => text.replaceAll("'", "")),
        );
      }
    }
  });

  test("GeoJSON has the texts", () => {
    const { features } = JSON.parse(JSON.stringify(hostile.layer.toGeoJSON()));
    expect(features.map(({ properties }: { properties: { visible_id: string } }) => properties.visible_id)).toEqual(
      hostileTexts,
    );
  });

  test("workbooks store the values as strings in the same parts", async () => {
    const workbook = async ({ layer, texts }: Company, name: string) => {
      const path = join(folder, `${name}.xlsx`);
      await layer.toXLSX({ path, name: `${texts[1]}` });
      return unzipSync(readFileSync(path));
    };
    const [bad, good] = [await workbook(hostile, "hostile"), await workbook(harmless, "harmless")];
    expect(Object.keys(bad)).toEqual(Object.keys(good));
    for (const [name, bytes] of Object.entries(bad)) {
      if (!/\.(xml|rels)$/.test(name)) continue;
      const source = strFromU8(bytes);
      const [is, should] = [readXml(source), readXml(strFromU8(good[name] as Uint8Array))];
      expect({ name, elements: is.elements }).toEqual({ name, elements: should.elements });
      expect([...is.elements]).not.toContain("f");
      if (!name.endsWith("sharedStrings.xml")) continue;
      const unescaped = is.texts.replace(/_x([0-9a-f]{4})_/gi, (_, hex) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      );
      for (const text of hostileTexts) expect(visible(unescaped), text).toContain(visible(text));
    }
  });

  test("GeoPackages have the texts, and the same tables", async () => {
    const tables = async ({ layer, texts }: Company, name: string) => {
      const path = join(folder, `${name}.gpkg`);
      await layer.toGeoPackage({ path, name: texts[0] as string });
      const database = new sqlite.Database(path);
      try {
        const names = database.all("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").length;
        const table = String(database.get("SELECT table_name FROM gpkg_contents")?.["table_name"]);
        const rows = database.all(`SELECT visible_id FROM "${table.replaceAll('"', '""')}" ORDER BY id`);
        return { names, rows: rows.map((row) => row["visible_id"]) };
      } finally {
        database.close();
      }
    };
    const bad = await tables(hostile, "hostile");
    expect(bad.rows).toEqual(hostileTexts);
    expect(bad.names).toBe((await tables(harmless, "harmless")).names);
  });

  test("declared types contain only types", async () => {
    const kinds = async ({ layer: _layer, texts }: Company) => {
      const definitions = texts.map((text, index) =>
        definition(uuid(index + 1), text, {
          description: text,
          type: "OPTION",
          config: { options: texts.map((label) => ({ value: label, label })) },
        }),
      );
      const properties = Object.fromEntries(texts.map((text, index) => [uuid(index + 1), text]));
      const { text } = await declareTypes(
        fromRecords({
          datasets: [dataset(1, { name: texts[0] as string })],
          propertyDefinitions: definitions,
          layerFeatures: [feature(1, { properties })],
        }),
        { optionLabels: false },
      );
      const file = ts.createSourceFile("x.ts", text, ts.ScriptTarget.Latest);
      expect((file as unknown as { parseDiagnostics: readonly unknown[] }).parseDiagnostics).toEqual([]);
      return file.statements.map(({ kind }) => ts.SyntaxKind[kind]);
    };
    expect(await kinds(hostile)).toEqual(await kinds(harmless));
  });
});

test("scripts of notebooks have texts in comments", () => {
  const statements = (text: string) => {
    const cells = [
      markdown(text),
      { ...markdown(text), cell_type: "raw" as const },
      { ...code("1"), id: text, metadata: { a: text, title: text } },
    ];
    const script = toPercentScript({ ...notebookOf(...cells), metadata: { kernelspec: { name: text } } });
    return ts.createSourceFile("x.ts", script, ts.ScriptTarget.Latest).statements.map(({ kind }) => kind);
  };
  for (const text of hostileTexts) expect(statements(text), text).toEqual(statements(harmlessText));
});

test("messages of mail have the text as their subject", async () => {
  for (const text of hostileTexts) {
    const mail = String(await toEml(notebookOf(markdown("x")), { title: text, to: undefined, attachments: [] }));
    const head = mail.slice(0, mail.indexOf("\r\n\r\n"));
    const names = head.split(/\r\n(?![ \t])/).map((line) => line.slice(0, line.indexOf(":")));
    expect(new Set(names), text).toEqual(
      new Set(["X-Unsent", "Subject", "Message-ID", "Date", "MIME-Version", "Content-Type"]),
    );
  }
});

function readXml(source: string): Reading {
  const elements = new Set<string>();
  const texts: string[] = [];
  const token = /<\?[^>]*\?>|<\/?([A-Za-z:_][\w:.-]*)((?:\s+[\w:.-]+="[^"<]*")*)\s*\/?>|([^<]+)/gy;
  while (token.lastIndex < source.length) {
    const start = token.lastIndex;
    const found = token.exec(source);
    if (!found) throw new Error(`invalid XML: ${source.slice(start, start + 80)}`);
    const [, name, , text] = found;
    if (name !== undefined) elements.add(name);
    if (text !== undefined) {
      if (/&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9a-f]+);)/i.test(text)) throw new Error(`invalid XML: ${text}`);
      texts.push(
        text
          .replaceAll("&lt;", "<")
          .replaceAll("&gt;", ">")
          .replaceAll("&quot;", '"')
          .replaceAll("&apos;", "'")
          .replaceAll("&#39;", "'")
          .replaceAll("&amp;", "&"),
      );
    }
  }
  return { elements, links: new Set(), texts: texts.join("\n") };
}

test("assistants get texts between marks that no text has", () => {
  for (const text of hostileTexts) {
    const marked = markData(JSON.stringify({ value: `${text}\n</siteframe-data>` }));
    expect(marked.match(/<\/?siteframe-data>/g)).toHaveLength(2);
    expectPrintable(marked);
  }
});

test("error messages quote names without control characters", () => {
  for (const text of hostileTexts) {
    const error = (() => {
      try {
        return hostile.history.counts(`${text}?`, dates);
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toBeInstanceOf(ArgumentError);
    expectPrintable(String(error));
  }
});
