import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const hooks = `
import { appendFileSync } from "node:fs";
export async function load(url, context, next) {
  appendFileSync(process.env.LOADED_MODULES, url + "\\n");
  return next(url, context);
}`;

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "siteframe-import-"));
  writeFileSync(join(folder, "hooks.mjs"), hooks);
  const register = `import { register } from "node:module"; register(${JSON.stringify(pathToFileURL(join(folder, "hooks.mjs")).href)});`;
  writeFileSync(join(folder, "register.mjs"), register);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function modulesLoadedBy(specifier: string): readonly string[] {
  const log = join(folder, `${specifier.replaceAll("/", "-")}.txt`);
  const register = pathToFileURL(join(folder, "register.mjs")).href;
  execFileSync(process.execPath, ["--import", register, "-e", `import(${JSON.stringify(specifier)})`], {
    env: { ...process.env, LOADED_MODULES: log },
  });
  return readFileSync(log, "utf8").trim().split("\n");
}

const heavy =
  /node_modules\/(@duckdb|zeromq|typescript|linkedom|jsdom|danfojs|@tensorflow|@observablehq|undici|commander|arquero|@turf|@uwdata|@resvg)|dist\/vendor/;

describe("import of the built package", () => {
  it("loads neither DuckDB, zeromq, TypeScript, a DOM, danfo, Arquero nor the transport", () => {
    const loaded = modulesLoadedBy("siteframe");
    expect(loaded.length).toBeGreaterThan(10);
    expect(loaded.filter((url) => heavy.test(url))).toEqual([]);
  });

  it("loads a DOM with siteframe/plot, so the check can fail", () => {
    expect(modulesLoadedBy("siteframe/plot").some((url) => heavy.test(url))).toBe(true);
  });

  it("loads what makes PNGs with the first PNG only", () => {
    expect(modulesLoadedBy("siteframe/plot").filter((url) => url.includes("@resvg"))).toEqual([]);
  });
});
