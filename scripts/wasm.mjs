// Compiles the readers of records, which are written in AssemblyScript, to src/tables/wasm/records.wasm.
// npm install --prefix .cache/assemblyscript assemblyscript@0.28.20
// node scripts/wasm.mjs            writes the file
// node scripts/wasm.mjs --check    fails if the file is not what the source compiles to
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const path = "src/tables/wasm/records.wasm";
const compiler = join(".cache", "assemblyscript", "node_modules", "assemblyscript", "dist", "asc.js");
const { default: asc } = await import(pathToFileURL(compiler).href);

let binary;
const words = ["--outFile", "records.wasm", "-O3", "--runtime", "stub", "--noAssert", "--enable", "simd"];
const { error, stderr } = await asc.main(["src/tables/wasm/assembly/index.ts", ...words], {
  writeFile: (_name, content) => {
    binary = content;
  },
});
if (error || !binary) throw new Error(`The readers do not compile.\n${stderr}`);
if (!process.argv.includes("--check")) writeFileSync(path, binary);
else if (!readFileSync(path).equals(binary)) throw new Error(`${path} is outdated. Run: node scripts/wasm.mjs`);
