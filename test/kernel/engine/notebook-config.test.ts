import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { engineNames } from "../../../src/kernel/engine/cell/engine-name.js";
import type { LanguageEngine } from "../../../src/kernel/engine/cell/language-engine.js";
import { createEngine } from "../../../src/kernel/engine/create-engine.js";
import { RecordingSink } from "./recording-sink.js";

describe.each(engineNames)("by %s", (engineName) => {
  /** A test that tslab does not pass. */
  const testModern = (name: string, body: () => Promise<void>) => {
    if (engineName !== "tslab") test(name, body);
  };
  let project: string;
  let engine: LanguageEngine | undefined;
  let sink: RecordingSink;

  async function write(name: string, content: string | object): Promise<void> {
    await mkdir(dirname(join(project, name)), { recursive: true });
    await writeFile(join(project, name), typeof content === "string" ? content : JSON.stringify(content, null, 2));
  }

  beforeEach(async () => {
    project = await mkdtemp(join(tmpdir(), "siteframe-config-"));
    sink = new RecordingSink();
  });
  afterEach(async () => {
    engine?.close();
    engine = undefined;
    await rm(project, { recursive: true });
  });

  /** Runs a cell of a notebook in `book`: its result, or its error. */
  async function run(code: string): Promise<unknown> {
    await mkdir(join(project, "book"), { recursive: true });
    engine ??= await createEngine({ directory: join(project, "book"), engine: engineName });
    const outcome = await engine.execute(code, { sink });
    return outcome.status === "ok" ? outcome.result?.["text/plain"] : outcome.error.evalue;
  }

  const warnings = () => sink.events.filter((event) => String(event).includes("tsconfig"));
  const options = (compilerOptions: object) => ({ compilerOptions });

  describe("tsconfig.json", () => {
    test("is not needed", async () => {
      expect(await run("const f = (x) => x; f(1)")).toBe("1");
      expect(warnings()).toEqual([]);
    });

    test("next to the notebook makes checks strict, in later cells too", async () => {
      await write("book/tsconfig.json", options({ strict: true, noUncheckedIndexedAccess: true }));
      expect(await run("const f = (x) => x; f(1)")).toContain("TS7006");
      expect(await run("const list = [1, 2]; const maybe = list.find((n) => n > 1);")).toBeUndefined();
      expect(await run("maybe.toFixed()")).toContain("TS18048");
      expect(await run("list[0].toFixed()")).toContain("TS2532");
      expect(await run("try { throw 1 } catch (error) { error.message }")).toContain("TS18046");
      expect(await run("aq.table({ a: [1] }).numRows()")).toBe("1");
      expect(await run('display(html`<b>x</b>`); await import("node:fs"); 5')).toBe("5");
    });

    test("of a parent folder applies if it is extended", async () => {
      await write("tsconfig.json", { compilerOptions: { strict: true } });
      expect(await run("const n: number = null;")).toBeUndefined();
      engine?.close();
      engine = undefined;
      await write("book/tsconfig.json", { extends: "../tsconfig.json", compilerOptions: { noImplicitAny: false } });
      expect(await run("const f = (x) => x; f(1)")).toBe("1");
      expect(await run("const n: number = null;")).toContain("TS2322");
    });

    test("extends packages", async () => {
      await write("node_modules/@site/config/tsconfig.json", options({ strict: true }));
      await write("node_modules/@site/config/package.json", { name: "@site/config", version: "1.0.0" });
      await write("book/tsconfig.json", { extends: "@site/config/tsconfig.json" });
      expect(await run("const n: number = null;")).toContain("TS2322");
    });

    test("maps paths, for types and at run time", async () => {
      await write(
        "book/tsconfig.json",
        options({ baseUrl: "..", paths: { "@lib/*": ["src/lib/*"], config: ["settings.json"] } }),
      );
      await write("src/lib/area.ts", 'import { side } from "@lib/side";\nexport const area: number = side ** 2;');
      await write("src/lib/side.ts", "export const side = 3;");
      await write("src/lib/plain.mjs", "export const plain = 'js';");
      await write("settings.json", { zone: 7 });
      expect(await run('import { area } from "@lib/area.js";\narea')).toBe("9");
      expect(await run('(await import("src/lib/side")).side')).toBe("3");
      expect(await run('import { plain } from "@lib/plain.mjs";\nplain')).toBe("'js'");
      expect(await run('import config from "config";\nconfig.zone')).toBe("7");
      expect(await run('import { area } from "@lib/area";\narea.length')).toContain(
        "'length' does not exist on type 'number'",
      );
    });

    test("resolves paths of an extended file in the folder of that file", async () => {
      await write("base/tsconfig.json", options({ paths: { "@lib/*": ["./lib/*"] } }));
      await write("base/lib/side.ts", "export const side: number = 3;");
      await write("book/tsconfig.json", { extends: "../base/tsconfig.json" });
      expect(await run('import { side } from "@lib/side.js";\nside')).toBe("3");
      expect(await run("side.length")).toContain("'length' does not exist on type 'number'");
    });

    test("selects types and libraries", async () => {
      await write("node_modules/@types/gauge/index.d.ts", "declare const gauge: { celsius: number };");
      await write("node_modules/@types/gauge/package.json", { name: "@types/gauge", version: "1.0.0" });
      expect(await run("typeof document")).toContain("TS2584");
      engine?.close();
      engine = undefined;
      await write("book/tsconfig.json", options({ types: ["gauge"], lib: ["ES2022", "DOM"] }));
      expect(await run("typeof document")).toBe("'undefined'");
      expect(await run("typeof gauge")).toBe("'undefined'");
      expect(await run("gauge.fahrenheit")).toContain("'fahrenheit' does not exist");
      expect(await run("process.version.length > 2")).toBe("true");
    });

    test("configures JSX and decorators in files", async () => {
      await write("book/tsconfig.json", options({ jsx: "react", jsxFactory: "h", experimentalDecorators: true }));
      await write(
        "book/view.tsx",
        `declare global { namespace JSX { interface IntrinsicElements { b: object } } }
const h = (name: string, _: unknown, ...inner: unknown[]) => "<" + name + ">" + inner.join("");
const mark = (target: object, key: string) => { Object.assign(target, { marked: key }); };
class Marked { @mark value() {} }
export const view = <b>text{1}</b>;
export const marked = new Marked();`,
      );
      expect(await run('import { view } from "./view.tsx";\nview')).toBe("'<b>text1'");
      expect(await run('import { marked } from "./view.js";\n"marked" in marked')).toBe("true");
    });

    testModern("configures JSX in cells", async () => {
      await write("book/tsconfig.json", options({ jsx: "react", jsxFactory: "h", jsxFragmentFactory: "Part" }));
      expect(
        await run(`declare global { namespace JSX { interface IntrinsicElements { b: { n?: number } } } }
const Part = "part";
const h = (name: string, given: object | null, ...inner: unknown[]) => name + JSON.stringify(given) + inner.join("");
const word: string = "text";`),
      ).toBeUndefined();
      expect(await run("<b n={1}>{word}</b>")).toBe(`'b{"n":1}text'`);
      expect(await run("const both = <><b/>{2}</>;\nboth")).toBe("'partnullbnull2'");
      expect(await run("<b n='1'/>")).toContain("TS2322");
      expect(await run("<i/>")).toContain("TS2339");
      expect(await run("const id = <T,>(value: T) => value; id(7)")).toBe("7");
    });

    testModern("selects the package of JSX in cells", async () => {
      await write("node_modules/drawn/package.json", {
        name: "drawn",
        type: "module",
        exports: { "./jsx-runtime": "./r.js" },
      });
      await write("node_modules/drawn/r.js", "export const jsx = (name, { children }) => name + '+' + children;");
      await write(
        "node_modules/drawn/r.d.ts",
        "export function jsx(name: string, given: object): string;\nexport namespace JSX { interface IntrinsicElements { b: object } type Element = string }",
      );
      await write("book/tsconfig.json", options({ jsx: "react-jsx", jsxImportSource: "drawn" }));
      expect(await run("const one: string = <b>{3}</b>;\none")).toBe("'b+3'");
    });

    test("can contain options that do not apply to notebooks", async () => {
      const folders = { rootDir: "src", outDir: "dist" };
      const strange = { module: "nodenext", moduleResolution: "nodenext", target: "es5", ...folders, noEmit: true };
      const later = {
        erasableSyntaxOnly: true,
        verbatimModuleSyntax: true,
        isolatedModules: true,
        noUnusedLocals: true,
      };
      await write("book/tsconfig.json", {
        ...options({ ...strange, ...later, composite: true, lib: ["es2099"] }),
        include: ["src"],
      });
      await write("book/helpers.ts", "export class A { static n = 1 }");
      expect(
        await run('import { A } from "./helpers.js";\nlet unused: Promise<A>; const f = async () => A.n; await f()'),
      ).toBe("1");
      expect(warnings()).toEqual([]);
    });

    test.each([
      ["rootDir and include", { ...options({ rootDir: "." }), include: ["src", "../shared"] }],
      ["files", { ...options({ rootDir: "src" }), files: ["src/main.ts", "src/missing.ts"] }],
      ["files of an extended file", { extends: "../tsconfig.base.json" }],
      ["exclude and JavaScript", { ...options({ allowJs: true, rootDir: "src" }), exclude: ["src"] }],
      [
        "composite, references and output",
        {
          ...options({ composite: true, outDir: "dist", declarationDir: "types", tsBuildInfoFile: "dist/info" }),
          include: ["src"],
          references: [{ path: "../shared" }],
        },
      ],
      [
        "declarations and output",
        {
          ...options({ rootDir: ".", outDir: "dist", declaration: true, emitDeclarationOnly: true, incremental: true }),
          include: ["src"],
        },
      ],
    ])("can list files of a project: %s", async (_, config) => {
      await write("tsconfig.base.json", { ...options({ rootDir: "book" }), include: ["book/src", "shared"] });
      await write("book/tsconfig.json", config);
      await write("book/src/main.ts", 'import { width } from "./width.js";\nexport const area: string = width;');
      await write("book/src/width.ts", "export const width = 3;");
      await write("book/tool.js", "export const tool = 1;");
      await write("shared/depth.ts", "export const depth = 4;");
      expect(await run('import { width } from "./src/width.js";\nwidth')).toBe("3");
      expect(await run('import { depth } from "../shared/depth.js";\ndepth')).toBe("4");
      expect(warnings()).toEqual([]);
    });

    test("does not stop cells by options of style", async () => {
      const style = { noPropertyAccessFromIndexSignature: true, noUnusedLocals: true, noUnusedParameters: true };
      await write("book/tsconfig.json", options({ strict: true, ...style, verbatimModuleSyntax: true }));
      expect(await run("const row: Record<string, number> = { STATUS: 1 };\nrow.STATUS")).toBe("1");
      expect(await run('aq.table({ a: [1, 2] }).filter((d) => d["a"] > 1).numRows()')).toBe("1");
      expect(await run("aq.table({ a: [1, 2] }).filter((d) => d.a > 1).numRows()")).toBe("1");
    });
  });

  describe("a broken tsconfig.json", () => {
    test.each([
      [
        "of syntax",
        '{ "compilerOptions": { "strict": true, "lib" } }',
        /^stderr: tsconfig\.json:1:\d+: ':' expected\.\n$/,
      ],
      ["of spelling", options({ strict: true, stricct: true }), /Unknown compiler option 'stricct'/],
      [
        "of type",
        options({ strict: true, noImplicitAny: "yes" }),
        /tsconfig\.json:4:\d+: Compiler option 'noImplicitAny' requires/,
      ],
      [
        "of what it extends",
        { extends: "./gone.json", ...options({ strict: true }) },
        /tsconfig\.json: Cannot read file .*gone\.json/,
      ],
    ])("%s is reported once, above the first cell, which runs", async (_, content, warning) => {
      await write("book/tsconfig.json", content);
      expect(await run("1 + 1")).toBe("2");
      expect(await run("2 + 2")).toBe("4");
      expect(warnings()).toEqual([expect.stringMatching(warning)]);
      expect(await run("const n: number = null;")).toContain("TS2322");
    });

    test("that is not JSON is reported", async () => {
      await write("book/tsconfig.json", "not JSON");
      expect(await run("1 + 1")).toBe("2");
      expect(warnings().length).toBeGreaterThan(0);
    });
  });
});
