import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** What `npm install deno` in .cache/deno brings, or the one on the path. */
export const deno = find();

function find(): string | undefined {
  const folder = join(import.meta.dirname, "../../../.cache/deno/node_modules/@deno");
  const platforms = existsSync(folder) ? readdirSync(folder).map((platform) => join(folder, platform, "deno")) : [];
  return [process.env["DENO"], ...platforms, "deno"].find((program) => program !== undefined && runs(program));
}

function runs(program: string): boolean {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
