// Builds dist. Its parts do not need each other, so they are built at the same time. Options go to the compiler: `--noCheck`
// skips the type check.
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

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

/** Copies the notebooks without their outputs, which only readers of the repository need. */
function copyNotebooks() {
  for (const name of readdirSync("notebooks", { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".ipynb")) continue;
    const { cells, ...notebook } = JSON.parse(readFileSync(join("notebooks", name), "utf8"));
    const without = cells.map((cell) =>
      cell.cell_type === "code" ? { ...cell, execution_count: null, outputs: [] } : cell,
    );
    const path = join("dist/notebooks", name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${JSON.stringify({ cells: without, ...notebook }, undefined, 1)}\n`);
  }
}

/** Removes the declarations of modules that no longer exist, which would be in the package. */
function removeOldDeclarations() {
  for (const name of readdirSync("dist", { recursive: true, encoding: "utf8" })) {
    if (!/^(src|sample)\b.*\.d\.ts$/.test(name)) continue;
    if (!existsSync(name.replace(/\.d\.ts$/, ".ts"))) rmSync(join("dist", name));
  }
}

try {
  copyNotebooks();
  await together(run("mend-types"), run("slim-packages"));
  cpSync("src/tables/wasm/records.wasm", "dist/tables/wasm/records.wasm");
  await together(
    run("compile", "-p", ".", ...process.argv.slice(2)),
    run("bundle"),
    run("control-page"),
    run("vendor"),
    run("libraries"),
  );
  removeOldDeclarations();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
