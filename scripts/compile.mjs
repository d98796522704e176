// Compiles a project with TypeScript's native compiler, which also checks cells and takes a fifth of the time. Falls
// back to the JavaScript compiler if this platform has no native one. `node scripts/compile.mjs -p tsconfig.json`.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const program = process.platform === "win32" ? "tsc.exe" : "tsc";
const native = join("node_modules", "@typescript", `typescript-${process.platform}-${process.arch}`, "lib", program);
const scripted = [process.execPath, join("node_modules", "typescript", "bin", "tsc")];
const [command, ...before] = existsSync(native) ? [native] : scripted;
const { status, error } = spawnSync(command, [...before, ...process.argv.slice(2)], { stdio: "inherit" });
if (error) throw error;
process.exitCode = status ?? 1;
