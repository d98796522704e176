// Builds dist. Its parts do not need each other, so they are built at the same time. Options go to the compiler: `--noCheck`
// skips the type check.
import { spawn } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";

const run = (name, ...args) =>
  new Promise((done, fail) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, `${name}.mjs`), ...args], { stdio: "inherit" });
    child.on("error", fail);
    child.on("close", (code) => (code === 0 ? done() : fail(new Error(`scripts/${name}.mjs ended with ${code}`))));
  });
/** Waits for all of them, so that none still writes after a failure. */
const together = async (...runs) => {
  const failed = (await Promise.allSettled(runs)).find(({ status }) => status === "rejected");
  if (failed) throw failed.reason;
};

try {
  await together(run("mend-types"), run("slim-packages"));
  cpSync("src/tables/wasm/records.wasm", "dist/tables/wasm/records.wasm");
  await together(
    run("compile", "-p", ".", ...process.argv.slice(2)),
    run("bundle"),
    run("control-page"),
    run("vendor"),
    run("libraries"),
  );
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
