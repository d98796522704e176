import { Console } from "node:console";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { Writable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { LanguageEngine } from "../../src/kernel/engine/cell/language-engine.js";
import { createEngine } from "../../src/kernel/engine/create-engine.js";
import { fallbackOf } from "../../src/tables/display/fallback-of.js";
import { type SampleService, startSampleService } from "../support/sample-service.js";
import { testedEngine } from "../support/tested-engine.js";
import { blocksOf, type CodeBlock, codeBlocks, documents } from "./documents.js";

// `npm run docs:results` writes the results into the documents and the pictures into docs/images.

const root = process.cwd();
/** What the block that runs has printed. */
let printed = "";
let service: SampleService;
let engine: LanguageEngine;
let folder: string;

beforeAll(async () => {
  // Results state when the data were read.
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-06-30T12:00:00Z") });
  service = await startSampleService(3000);
  process.env["SITEFRAME_BASE_URL"] = service.url;
  process.env["SITEFRAME_API_KEY"] = service.apiKey;
  process.env["SITEFRAME_PROGRESS"] = "off";
  mkdirSync("out", { recursive: true });
  folder = mkdtempSync(join(root, "out/docs-"));
  // Cells are checked as in the project of a reader, not as in this one.
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: { strict: true } }));
  engine = await createEngine({ engine: testedEngine, directory: folder });
  // Node warns of an experimental feature once.
  await engine.execute('import "siteframe";', { sink: { stream: () => undefined, display: () => undefined } });
  const stdout = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      printed += String(chunk);
      done();
    },
  });
  vi.stubGlobal("note", (given: unknown, stated: unknown) => void expect(given).toEqual(stated));
  vi.stubGlobal("console", new Console({ stdout, stderr: stdout, colorMode: false }));
  process.chdir(folder);
});

afterAll(async () => {
  engine.close();
  for (const name of ["BASE_URL", "API_KEY", "PROGRESS"]) delete process.env[`SITEFRAME_${name}`];
  await service.close();
  process.chdir(root);
  rmSync(folder, { recursive: true });
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** What a block prints, and its last value. */
interface Result {
  readonly text: string;
  readonly svg: string | undefined;
  /** Describes the picture. */
  readonly description: string;
}

/** A line that ends with `// → value` states its value: the cell notes both. */
function withNotes(code: string): string {
  return code.replace(/^(?!const |let |\/\/)(.*\S); \/\/ → (.*)$/gm, (_, given: string, stated: string) => {
    return `(globalThis as unknown as { note: (...values: unknown[]) => void }).note(${given}, ${stated});`;
  });
}

async function run({ code }: CodeBlock): Promise<Result> {
  printed = "";
  const stream = (_name: string, text: string) => {
    printed += text;
  };
  const outcome = await engine.execute(withNotes(code), { sink: { stream, display: () => undefined } });
  expect(outcome, code).toMatchObject({ status: "ok" });
  const bundle = outcome.status === "ok" ? outcome.result : undefined;
  const plain = String(bundle?.["text/plain"] ?? "");
  const [, base64] = /^data:image\/svg\+xml;base64,(.*)$/.exec(fallbackOf(String(bundle?.["text/html"])) ?? "") ?? [];
  const svg = base64 === undefined ? undefined : `${Buffer.from(base64, "base64").toString("utf8").trim()}\n`;
  const lines = [printed.trimEnd(), svg || bundle === undefined ? "" : plain].filter((part) => part !== "");
  return { text: lines.join("\n").replaceAll(service.url, "https://api.example.com"), svg, description: plain };
}

/** The document with the results of its blocks below them. */
async function withResults(document: string, markdown: string): Promise<string> {
  let written = "";
  let end = 0;
  for (const [index, block] of codeBlocks(markdown).entries()) {
    const { text, svg, description } = await run(block);
    written += markdown.slice(end, block.start);
    end = block.end;
    if (block.isHidden) continue;
    if (text !== "") written += `\n\`\`\`text\n${text}\n\`\`\`\n`;
    if (!svg) continue;
    const name = `${basename(document, ".md").toLowerCase()}-${index + 1}.svg`;
    const own = relative(dirname(document), `docs/images/${name}`);
    const path = block.picture ?? own;
    const kept = /^\n!\[([^\]]*)\]/m.exec(markdown.slice(block.start, block.end))?.[1];
    written += `\n![${kept ?? description.replace(/^\[.*?\] /, "").replaceAll(/[[\]\n]/g, " ")}](${path})\n`;
    await expect(svg).toMatchFileSnapshot(resolve(root, dirname(document), path));
  }
  return written + markdown.slice(end);
}

describe.each(documents)("%s", (document) => {
  it("shows the results of its code", async () => {
    engine.reset();
    process.chdir(mkdtempSync(join(folder, "page-")));
    const path = resolve(root, document);
    await expect(await withResults(document, readFileSync(path, "utf8"))).toMatchFileSnapshot(path);
  });

  it("names commands that exist", () => {
    const scripts: Record<string, string> = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts;
    const commands = readdirSync(join(root, "src/cli/commands")).flatMap((name) => {
      return /^(.+)-command\.ts$/.exec(name)?.[1] ?? [];
    });
    for (const block of blocksOf(join(root, document), "sh")) {
      for (const [, script] of block.matchAll(/npm (?:run )?(?!ci\b|install\b|pack\b)([\w:]+)/g)) {
        expect(Object.keys(scripts)).toContain(script);
      }
      for (const [, command] of block.matchAll(/npx siteframe (\w+)/g)) expect(commands).toContain(command);
    }
  });
});
