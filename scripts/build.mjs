// Builds all that is in dist: what needs nothing of each other side by side. Options are the compiler's: `--noCheck` leaves
// types unchecked, which who only wants to see it run need not wait for.
import { spawn } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";

const run = (name, ...args) =>
  new Promise((done, fail) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, `${name}.mjs`), ...args], { stdio: "inherit" });
    child.on("error", fail);
    child.on("close", (code) => (code === 0 ? done() : fail(new Error(`scripts/${name}.mjs ended with ${code}`))));
  });
/** All come to their end, so that none writes on after a failure. */
const together = async (...runs) => {
  const failed = (await Promise.allSettled(runs)).find(({ status }) => status === "rejected");
  if (failed) throw failed.reason;
};

try {
  await run("mend-types");
  await together(
    run("compile", "-p", ".", ...process.argv.slice(2)),
    run("frames"),
    run("vendor"),
    run("libraries"),
  );
  cpSync("src/tables/wasm/records.wasm", "dist/tables/wasm/records.wasm");
  // Beside what was compiled, and of it.
  await run("bundle");
  await run("chunks");
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
