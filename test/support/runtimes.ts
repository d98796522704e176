import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Deno from `npm install deno` in .cache/deno, or from the path. */
export const deno = find("deno");

/** Bun from `npm install bun` in .cache/bun, or from the path. */
export const bun = find("bun");

/** Deno's program is in a package for the platform, since the program in bin runs Node. Bun's program is in bin. */
function find(name: string): string | undefined {
  const packages = join(import.meta.dirname, "../../.cache", name, "node_modules");
  const scope = join(packages, "@deno");
  const platforms = existsSync(scope) ? readdirSync(scope).map((platform) => join(scope, platform, name)) : [];
  const programs = [process.env[name.toUpperCase()], ...platforms, join(packages, ".bin", name), name];
  return programs.find((program) => program !== undefined && runs(program));
}

function runs(program: string): boolean {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
