// Prints figures about the structure of `src`: `npm run structure`. `npm run structure -- FIGURE` lists what a figure
// counts: names, helpers, fallbacks, files, functions.
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import ts from "typescript";

const limits = { files: 720, names: 15, helpers: 90, fallbacks: 40, longest: 520 };
const fallback = /\] \?\? (0|""|\[\]|NONE|-1)/;

const files = readdirSync("src", { recursive: true })
  .map((path) => join("src", path).replaceAll("\\", "/"))
  .filter((path) => path.endsWith(".ts") && !path.endsWith(".d.ts"))
  .sort();
const texts = new Map(files.map((path) => [path, readFileSync(path, "utf8")]));
const sources = new Map(
  [...texts].map(([path, text]) => [path, ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)]),
);

/** Runs a function on each node of a file. */
function visit(node, look) {
  look(node);
  ts.forEachChild(node, (child) => visit(child, look));
}

const lineOf = (source, position) => source.getLineAndCharacterOfPosition(position).line + 1;
const linesOf = (text) => text.trimEnd().split("\n").length;

/** The files that each file of `src` imports, also for types and when called. */
const importers = new Map(files.map((path) => [path, new Set()]));
for (const [path, source] of sources) {
  visit(source, (node) => {
    const isImport = ts.isImportDeclaration(node) || ts.isExportDeclaration(node);
    const isCall = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
    const specifier = isImport ? node.moduleSpecifier : isCall ? node.arguments[0] : undefined;
    const target = specifier && ts.isStringLiteral(specifier) ? specifier.text : undefined;
    if (!target?.startsWith(".")) return;
    importers.get(join(dirname(path), target).replaceAll("\\", "/").replace(/\.js$/, ".ts"))?.add(path);
  });
}

const names = [...new Set(files.map((path) => basename(path)))]
  .map((name) => [name, files.filter((path) => basename(path) === name)])
  .filter(([, paths]) => paths.length > 1);

const helpers = [...importers].flatMap(([path, users]) => {
  const [user] = users;
  if (users.size !== 1) return [];
  const folder = dirname(path);
  return dirname(user) === folder || dirname(user) === dirname(folder) ? [`${path} (${user})`] : [];
});

const fallbacks = [...texts].flatMap(([path, text]) =>
  text.split("\n").flatMap((line, index) => (fallback.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
);

const lengths = [...texts].map(([path, text]) => [path, linesOf(text)]).sort((a, b) => b[1] - a[1]);

const functions = [...sources]
  .flatMap(([path, source]) => {
    const found = [];
    visit(source, (node) => {
      if (!ts.isFunctionLike(node) || !node.body) return;
      const [first, last] = [lineOf(source, node.getStart(source)), lineOf(source, node.end)];
      const name = node.name ?? node.parent.name;
      found.push([`${path}:${first} ${name?.getText(source) ?? "(anonymous)"}`, last - first + 1]);
    });
    return found;
  })
  .sort((a, b) => b[1] - a[1]);

const lists = {
  names: () => names.map(([name, paths]) => `${name}: ${paths.join(", ")}`),
  helpers: () => helpers,
  fallbacks: () => fallbacks,
  files: () => lengths.slice(0, 20).map(([path, lines]) => `${lines} ${path}`),
  functions: () => functions.slice(0, 20).map(([name, lines]) => `${lines} ${name}`),
};

const [figure] = process.argv.slice(2);
if (figure !== undefined) {
  const list = lists[figure];
  if (!list) throw new Error(`Unknown figure: ${figure}. Use one of: ${Object.keys(lists).join(", ")}.`);
  for (const line of list()) console.log(line);
} else {
  const [longest, length] = lengths[0];
  const [longestFunction, functionLength] = functions[0];
  const rows = [
    ["files", files.length, limits.files],
    ["names that several files have", names.length, limits.names],
    ["files with one importer, from the same folder or its parent", helpers.length, limits.helpers],
    ["indexed values with a default", fallbacks.length, limits.fallbacks],
    [`longest file: ${longest}`, length, limits.longest],
    [`longest function: ${longestFunction}`, functionLength, undefined],
    ["lines", [...lengths].reduce((sum, [, lines]) => sum + lines, 0), undefined],
  ];
  for (const [name, value, limit] of rows) {
    const target = limit === undefined ? "" : ` (target: at most ${limit})`;
    console.log(`${String(value).padStart(7)}  ${name}${target}`);
  }
}
