// Compiles the readers of records, which are written in AssemblyScript, to WebAssembly.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import asc from "assemblyscript/asc";

const path = "dist/tables/wasm/records.wasm";
const { binary, stderr, error } = await compile(["-O3", "--runtime", "stub", "--noAssert", "--enable", "simd"]);
if (error || !binary) throw new Error(`The readers do not compile.\n${stderr}`);
mkdirSync(dirname(path), { recursive: true });
if (!same(binary)) writeFileSync(path, binary);

async function compile(options) {
  let written;
  const result = await asc.main(["src/tables/wasm/assembly/index.ts", "--outFile", "records.wasm", ...options], {
    writeFile: (_name, content) => {
      written = content;
    },
  });
  return { binary: written, stderr: result.stderr.toString(), error: result.error };
}

function same(binary) {
  try {
    return readFileSync(path).equals(binary);
  } catch {
    return false;
  }
}
