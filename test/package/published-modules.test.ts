import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type OutputChunk, rolldown } from "rolldown";
import { beforeAll, expect, it } from "vitest";
import { readNotebook, writeNotebook } from "../../src/notebook/file/notebook-file.js";
import { code, notebookOf } from "../notebook/cells.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";

const repository = resolve(import.meta.dirname, "../..");
const project = temporaryFolder();

/** A project in which Siteframe and Arquero are installed. */
beforeAll(() => {
  mkdirSync(join(project, "node_modules"));
  symlinkSync(repository, join(project, "node_modules", "siteframe"), "junction");
  symlinkSync(join(repository, "node_modules", "arquero"), join(project, "node_modules", "arquero"), "junction");
});

function node(program: string): unknown {
  const path = join(project, "program.mjs");
  writeFileSync(path, program);
  return JSON.parse(execFileSync(process.execPath, [path], { cwd: project, encoding: "utf8" }));
}

it("verbs accept any function of rows in bundled and minified programs", async () => {
  const input = join(project, "rows.mjs");
  writeFileSync(
    input,
    `import { aq } from "siteframe/arquero";
    const { op } = aq;
    const kinds = ["a"];
    const table = aq.table({ kind: ["a", "b"], n: [1, 3] });
    const found = table.filter((d) => kinds.includes(d.kind)).numRows();
    const off = table.derive({ n: (d) => d.n - op.mean(d.n) }).array("n");
    const aggregates = table.rollup({ n: (d) => aq.op.max(d.n) }).array("n");
    console.log(JSON.stringify([found, off, aggregates]));`,
  );
  const bundle = await rolldown({ input, platform: "browser", logLevel: "silent" });
  const { output } = await bundle.generate({ format: "esm", minify: true });
  await bundle.close();
  expect(node(output[0].code)).toEqual([1, [-1, 1], [3]]);
});

it("cells, local files, packages and require() get the same classes, and tables have the class of the installed Arquero", async () => {
  const names = `import { createRequire } from "node:module";
    import * as arquero from "arquero";
    import { ArgumentError, fromRecords } from "siteframe";
    import { aq } from "siteframe/arquero";
    import { Plot } from "siteframe/plot";
    const required = createRequire(import.meta.url)("siteframe");`;
  const all = "[ArgumentError, required.ArgumentError, fromRecords, aq.ColumnTable, arquero.ColumnTable, Plot.Mark]";
  writeFileSync(join(project, "beside.ts"), `${names}\nexport const beside: readonly unknown[] = ${all};`);
  const installed = join(project, "node_modules", "other");
  mkdirSync(installed);
  writeFileSync(join(installed, "package.json"), JSON.stringify({ name: "other", type: "module", main: "main.js" }));
  writeFileSync(join(installed, "main.js"), `${names}\nexport const others = ${all};`);
  const path = join(project, "copies.ipynb");
  const cell = `${names}
    import { beside } from "./beside.js";
    const { others } = (await import("other" as string)) as { others: readonly unknown[] };
    const own: readonly unknown[] = ${all};
    const table = await fromRecords({}).sites();
    let refused: unknown;
    try { fromRecords({ sites: [{} as never] }); } catch (error) { refused = error; }
    const same = (list: readonly unknown[]) => own.map((each, index) => each === list[index]);
    console.log(JSON.stringify([same(beside), same(others), own[0] === own[1], own[3] === own[4],
      table instanceof arquero.ColumnTable, refused instanceof ArgumentError]));`;
  await writeNotebook(notebookOf(code(cell)), path);
  const main = join(repository, "dist", "cli", "main.js");
  execFileSync(process.execPath, [main, "run", path, "--out", join(project, "ran.ipynb")], { cwd: project });
  const { cells } = await readNotebook(join(project, "ran.ipynb"));
  const yes = Array(6).fill(true);
  const text = `${JSON.stringify([yes, yes, true, true, true, true])}\n`;
  expect(cells).toMatchObject([{ outputs: [{ output_type: "stream", name: "stdout", text }] }]);
});

it("a bundler includes only the used modules of siteframe", async () => {
  const own = await bundledBytes(
    `import { connect } from ${JSON.stringify(join(repository, "src/source/connect.ts"))};`,
  );
  const named = await bundledBytes('import { connect } from "siteframe";');
  expect(named).toBeGreaterThan(10_000);
  expect(named).toBeLessThan(own * 1.05);
});

/** Bytes of the entry and its static imports. */
async function bundledBytes(imports: string): Promise<number> {
  const input = join(project, "bundled.mjs");
  writeFileSync(input, `${imports}\nconsole.log(connect);`);
  const external = (id: string) => !/^(siteframe|[./]|[A-Z]:)/.test(id);
  const resolve = { extensionAlias: { ".js": [".js", ".ts"] } };
  const bundle = await rolldown({ input, platform: "node", external, resolve, logLevel: "silent" });
  const { output } = await bundle.generate({ format: "esm", minify: true });
  await bundle.close();
  const chunks = new Map(output.flatMap((each) => (each.type === "chunk" ? [[each.fileName, each] as const] : [])));
  const taken = new Set<OutputChunk>();
  const take = (chunk: OutputChunk | undefined) => {
    if (!chunk || taken.has(chunk)) return;
    taken.add(chunk);
    for (const name of chunk.imports) take(chunks.get(name));
  };
  take([...chunks.values()].find(({ isEntry }) => isEntry));
  return [...taken].reduce((sum, chunk) => sum + chunk.code.length, 0);
}
