import { Console } from "node:console";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { Writable } from "node:stream";
import { afterAll, beforeAll, expect, vi } from "vitest";
import type { CodeBlock } from "../../scripts/reference/code-blocks.mjs";
import type { LanguageEngine } from "../../src/kernel/engine/cell/language-engine.js";
import { createEngine } from "../../src/kernel/engine/create-engine.js";
import { fallbackOf } from "../../src/tables/display/view.js";
import { type SampleService, startSampleService } from "../support/sample-service.js";
import { testedEngine } from "../support/tested-engine.js";

const root = process.cwd();

/** Output and last value of a block. */
interface Result {
  readonly text: string;
  readonly svg: string | undefined;
  /** Describes the picture. */
  readonly description: string;
}

/** A block to run. If it has a picture, its path and description are kept. */
export interface RunBlock extends CodeBlock {
  /** Path of the picture if it has none yet, from the root of the repository. */
  readonly newPicture: string;
}

/** Runs the code blocks of documents in a kernel's engine, with the embedded service on the sample company. */
export interface BlockRunner {
  /** Forgets the names of the blocks before, and starts in an empty folder. */
  reset(): void;
  /** @throws if the block fails */
  run(code: string): Promise<Result>;
  /**
   * The document with the results of its blocks below them. The pictures are compared with their files.
   *
   * @param shorten shortens a printed result. Default: the whole result
   */
  withResults(
    document: string,
    markdown: string,
    blocks: readonly RunBlock[],
    shorten?: (text: string) => string,
  ): Promise<string>;
}

/** Starts a runner before the tests of a file and closes it after them. */
export function useBlockRunner(): BlockRunner {
  /** Output of the running block. */
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

  async function run(code: string): Promise<Result> {
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

  return {
    run,
    reset() {
      engine.reset();
      process.chdir(mkdtempSync(join(folder, "page-")));
    },
    async withResults(document, markdown, blocks, shorten = (text) => text) {
      let written = "";
      let end = 0;
      for (const block of blocks) {
        const { text, svg, description } = await run(block.code);
        written += markdown.slice(end, block.start);
        end = block.end;
        if (block.isHidden) continue;
        if (text !== "") written += `\n\`\`\`text\n${shorten(text)}\n\`\`\`\n`;
        if (!svg) continue;
        const path = block.picture ?? relative(dirname(document), block.newPicture);
        const [, kept] = (block.picture && /^\n!\[([^\]]*)\]/m.exec(markdown.slice(block.start, block.end))) || [];
        written += `\n![${kept ?? alternative(description)}](${path})\n`;
        await expect(svg).toMatchFileSnapshot(resolve(root, dirname(document), path));
      }
      return written + markdown.slice(end);
    },
  };
}

/** The sentences that describe a picture, without its title, subtitle and caption. */
function alternative(description: string): string {
  const [line = ""] = description.split("\n");
  const plain = line.replace(/^\[Plot .*?\] (?:.*Data read .*?UTC(?: \(.*?\))?\. )?/, "");
  return plain.replace(/[[\]]/g, "");
}

/** A line that ends with `// → value` states its value: the cell notes both. */
function withNotes(code: string): string {
  return code.replace(/^(?!const |let |\/\/)(.*\S); \/\/ → (.*)$/gm, (_, given: string, stated: string) => {
    return `(globalThis as unknown as { note: (...values: unknown[]) => void }).note(${given}, ${stated});`;
  });
}
