import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { codeBlocks, type ExampleBlock, exampleBlocks } from "../../scripts/reference/code-blocks.mjs";
import { useBlockRunner } from "./block-runner.js";

// `npm run docs:results` writes the results below the examples and the pictures into docs/images/reference.

/** Pages of the reference with examples, by entry point. */
const pages = {
  siteframe: "docs/api/siteframe.md",
  "siteframe/plot": "docs/api/siteframe/plot.md",
  "siteframe/widget": "docs/api/siteframe/widget.md",
};

/** Classes whose methods all have an example. */
const classes = ["Source", "Layer", "History", "Snapshot", "WorkingCalendar"];

/** Examples that return nothing, and why. */
const withoutResult: Readonly<Record<string, string>> = {
  "Source.close": "closes connections",
  "Layer.toParquet": "writes a file",
  "Layer.toXLSX": "writes a file",
  "Layer.toGeoPackage": "writes a file",
  "Snapshot.writeTo": "writes a file",
  "LazyHistory.close": "closes the engine",
  "LazyTable.writeTo": "writes a file",
  toParquet: "writes a file",
  toXLSX: "writes a file",
  toGeoPackage: "writes a file",
  toPNG: "writes a file",
  "Figure.toSVG": "writes a file",
  "Figure.toPNG": "writes a file",
};

/** Charts and maps whose result is text, and why. */
const withoutPicture: Readonly<Record<string, string>> = { featureCards: "cards are HTML" };

/** Examples that are not run, and why. */
const notRun: Readonly<Record<string, string>> = {
  "EditsByUser.filter": "a docstring of Arquero",
  "EditsByUser.slice": "a docstring of Arquero",
  "EditsByUser.unorder": "a docstring of Arquero",
};

const MOST_BYTES = 60_000;

const root = process.cwd();
const runner = useBlockRunner();
const read = (path: string) => readFileSync(resolve(root, path), "utf8");

beforeAll(async () => {
  runner.reset();
  await runner.run(imports());
  for (const { code } of codeBlocks(read("docs/api/README.md"))) await runner.run(code);
  await runner.run(survey);
});

/** The file that the example of `loadBasemap()` reads. */
const survey = `
import { writeFile } from "node:fs/promises";
const drawing = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 3"><path fill="#9a8" d="M0,0h4v3h-4"/></svg>';
await writeFile("survey.png", await toPNG({ toSVG: () => drawing }));
`;

/** Functions on a page of the reference. */
function functionsOf(path: string): readonly string[] {
  return [...read(path).matchAll(/^### (\w+)\(\)$/gm)].flatMap(([, name = ""]) => name);
}

/** Imports all functions. */
function imports(): string {
  const lines = Object.entries(pages).map(([entry, path]) => {
    return `import { ${[...new Set(functionsOf(path))].join(", ")} } from "${entry}";`;
  });
  return [...lines, 'import { Plot } from "siteframe/plot";'].join("\n");
}

/** Methods of a class on a page of the reference. */
function methodsOf(name: string): readonly string[] {
  const [, section = ""] = new RegExp(`^### ${name}$(.*?)(?=^### )`, "ms").exec(read(pages.siteframe)) ?? [];
  return [...section.matchAll(/^##### (\w+)\(\)$/gm)].map(([, method]) => `${name}.${method}`);
}

/** The path of an example's picture: `layerMap` has layer-map.svg. */
function pictureOf({ name }: ExampleBlock): string {
  const words = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return `docs/images/reference/${words.replace(".", "").replace(/^-/, "")}.svg`;
}

/** Tables of more than twelve rows show twelve; the reference shows five. */
function firstRows(text: string): string {
  return text.replace(/((?:.+\n){5})(?:.+\n){7}(.*\bfirst )12 rows/, "$1$25 rows");
}

/** Names that an example declares. */
function declared(code: string): readonly string[] {
  return [...code.matchAll(/^(?:const|let) ([{[]?.*?[\]}]?) = /gm)].flatMap(
    ([, names = ""]) => names.match(/\w+/g) ?? [],
  );
}

/** Examples in the docstrings of a source. */
function examplesOf(source: string): readonly string[] {
  return [...source.matchAll(/^ *\* @example\n((?: *\*(?! @|\/).*\n)*)/gm)].map(([, lines = ""]) => {
    const code = lines.replace(/^ *\* ?/gm, "");
    return code.replace(/^```\w*\n/gm, "").trim();
  });
}

/** The pages with their results. */
const shown = new Map<string, string>();
const shownBlocks = (path: string) => exampleBlocks(shown.get(path) ?? "");

describe.each(Object.values(pages))("%s", (path) => {
  const markdown = read(path);
  const blocks = exampleBlocks(markdown).filter(({ name }) => !(name in notRun));

  it("shows the results of its examples", async () => {
    const named = blocks.map((block) => ({ ...block, picture: undefined, newPicture: pictureOf(block) }));
    const written = await runner.withResults(path, markdown, named, firstRows);
    shown.set(path, written);
    await expect(written).toMatchFileSnapshot(resolve(root, path));
  });

  it("has a result for each example", () => {
    const lacking = shownBlocks(path).filter(({ text, picture }) => text === undefined && picture === undefined);
    const names = lacking.map(({ name }) => name);
    expect(names.filter((name) => !(name in withoutResult || name in notRun))).toEqual([]);
  });

  it("has no example that needs another one", () => {
    const known = new Set(codeBlocks(read("docs/api/README.md")).flatMap(({ code }) => declared(code)));
    const others = new Set(blocks.flatMap(({ code }) => declared(code)).filter((name) => !known.has(name)));
    const needy = blocks.flatMap(({ name, code }) => {
      const plain = code.replace(/"[^"]*"|`[^`]*`|\/\/.*/g, "").replace(/\.\w+|\w+\??:/g, "");
      const own = declared(code);
      const lacking = plain.match(/\w+/g)?.filter((word) => others.has(word) && !own.includes(word)) ?? [];
      return lacking.map((word) => `${name}: ${word}`);
    });
    expect(needy).toEqual([]);
  });
});

it("runs each example of the sources", () => {
  const run = new Set(Object.values(pages).flatMap((path) => exampleBlocks(read(path)).map(({ code }) => code.trim())));
  const sources = readdirSync(resolve(root, "src"), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  const examples = sources.flatMap((name) => examplesOf(read(`src/${name}`)));
  expect(examples.length).toBeGreaterThan(100);
  expect(examples.filter((code) => !run.has(code))).toEqual([]);
});

it.each(classes)("each method of %s has an example", (name) => {
  const names = new Set(exampleBlocks(read(pages.siteframe)).map((block) => block.name));
  const methods = methodsOf(name);
  expect(methods.length).toBeGreaterThan(3);
  expect(methods.filter((method) => !names.has(method))).toEqual([]);
});

it("each chart and map has a picture", () => {
  const page = read(pages["siteframe/plot"]);
  const drawn = page.slice(page.indexOf("\n## Charts\n"), page.indexOf("\n## Figures\n"));
  const names = [...drawn.matchAll(/^### (\w+)\(\)$/gm)].flatMap(([, name = ""]) => name);
  expect(names.length).toBeGreaterThan(20);
  const pictured = new Set(shownBlocks(pages["siteframe/plot"]).flatMap(({ name, picture }) => (picture ? name : [])));
  expect(names.filter((name) => !(pictured.has(name) || name in withoutPicture))).toEqual([]);
});

it("lists exceptions for existing examples only", () => {
  const names = new Set(Object.values(pages).flatMap((path) => exampleBlocks(read(path)).map(({ name }) => name)));
  const listed = [withoutResult, withoutPicture, notRun].flatMap((exceptions) => Object.keys(exceptions));
  expect(listed.filter((name) => !names.has(name))).toEqual([]);
});

it("shows each picture of the folder, of at most 60 kB", () => {
  const pictures = readdirSync(resolve(root, "docs/images/reference"));
  const used = new Set(
    Object.values(pages).flatMap((path) => shownBlocks(path).map(({ picture = "" }) => basename(picture))),
  );
  expect(pictures.filter((name) => !used.has(name))).toEqual([]);
  expect(pictures.filter((name) => statSync(resolve(root, "docs/images/reference", name)).size > MOST_BYTES)).toEqual(
    [],
  );
});
