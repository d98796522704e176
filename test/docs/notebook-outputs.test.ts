import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Cell, Output } from "../../src/notebook/file/notebook.js";
import { formatNotebook, readNotebook } from "../../src/notebook/file/notebook-file.js";
import { runNotebook } from "../../src/notebook/run/run-notebook.js";
import type { MimeBundle } from "../../src/tables/display/mime-bundle.js";
import { type SampleService, startSampleService } from "../support/sample-service.js";
import { testedEngine } from "../support/tested-engine.js";

// `npm run docs:results` writes the outputs into the notebooks.

/** Pseudonyms depend on the address of the service, which differs in each run: the audit has no stored outputs. */
const notebooks = readdirSync("notebooks").filter((name) => name.endsWith(".ipynb") && name !== "audit.ipynb");
const temporaryFolders = /\/tmp\/siteframe-\w+/g;
let service: SampleService;

beforeAll(async () => {
  service = await startSampleService(3000);
});
afterAll(() => service.close());

/** Text without the address of the service and the names of temporary folders, which differ in each run. */
function repeatable(text: string): string {
  return text
    .replaceAll(service.url, "https://api.example.com")
    .replaceAll(temporaryFolders, join(tmpdir(), "siteframe"));
}

/** GitHub shows neither scripts nor frames: a picture, or a table without styles, and text for readers of the file. */
function staticBundle(bundle: MimeBundle): MimeBundle {
  const { "text/plain": plain = "", "image/png": picture, "text/html": html, ...rest } = bundle;
  const text = { "text/plain": repeatable(String(plain)) };
  if (picture !== undefined) return { ...text, "image/png": picture };
  const table = /<table[ >].*?<\/table>/s.exec(String(html ?? ""))?.[0];
  if (table) return { ...text, "text/html": repeatable(table.replace(/<table[^>]*>/, "<table>")) };
  const markdown = rest["text/markdown"];
  return markdown === undefined ? text : { ...text, "text/markdown": markdown };
}

function staticOutput(output: Output): Output {
  if (output.output_type === "stream") return { ...output, text: repeatable(output.text) };
  return output.output_type === "error" ? output : { ...output, data: staticBundle(output.data), metadata: {} };
}

it.each([...notebooks.map((name) => `notebooks/${name}`), "docs/gallery.ipynb"])("%s has its outputs", async (path) => {
  const env = {
    SITEFRAME_BASE_URL: service.url,
    SITEFRAME_API_KEY: service.apiKey,
    NODE_OPTIONS: `--import ${pathToFileURL("test/support/fixed-date.mjs")}`,
  };
  const stored = await readNotebook(path);
  const { cells } = await runNotebook(path, { engine: testedEngine, env });
  const outputs = cells.map((cell): Cell => {
    return cell.cell_type === "code" ? { ...cell, outputs: cell.outputs.map(staticOutput) } : cell;
  });
  await expect(formatNotebook({ ...stored, cells: outputs })).toMatchFileSnapshot(resolve(path));
});
