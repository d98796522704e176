import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { packageFolder } from "../../../src/core/package-folder.js";
import { acquireRecords, releaseRecords } from "../../../src/tables/wasm/load-records.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";

const folder = temporaryFolder();

/** An empty WebAssembly module. */
const empty = Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);

async function acquiredBy(path: string): Promise<unknown> {
  const loaded = (await import(/* @vite-ignore */ pathToFileURL(path).href)) as {
    acquireRecords: typeof acquireRecords;
  };
  return loaded.acquireRecords(() => 0);
}

it("acquires the built module", () => {
  const records = acquireRecords(() => 0);
  expect(records?.wasm.memory.buffer.byteLength).toBeGreaterThan(0);
  if (records) releaseRecords(records);
});

it("acquires no module in a bundle, even next to another installed version", async () => {
  const other = join(folder, "node_modules", "siteframe");
  mkdirSync(join(other, "dist", "tables", "wasm"), { recursive: true });
  writeFileSync(join(other, "package.json"), JSON.stringify({ name: "siteframe", version: "99.0.0" }));
  writeFileSync(join(other, "dist", "tables", "wasm", "records.wasm"), empty);
  const bundle = join(folder, "bundle.mjs");
  cpSync(join(packageFolder, "modules", "tables", "wasm", "load-records.js"), bundle);
  expect(await acquiredBy(bundle)).toBeUndefined();
});
