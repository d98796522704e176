import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { installLabExtension, uninstallLabExtension } from "../../../src/kernel/install/lab-extension.js";
import { frameScript } from "../../../src/tables/display/frame-script.js";

describe("JupyterLab's extension", () => {
  let prefix = "";
  const folder = () => join(prefix, "share", "jupyter", "labextensions", "siteframe");
  const place = () => ({ type: "prefix", prefix }) as const;

  beforeEach(() => {
    prefix = mkdtempSync(join(tmpdir(), "siteframe-lab-"));
  });

  afterEach(() => rmSync(prefix, { recursive: true }));

  test("has a description and the file that it names", () => {
    expect(installLabExtension(place())).toBe(folder());
    const { name, jupyterlab } = JSON.parse(readFileSync(join(folder(), "package.json"), "utf8"));
    expect(name).toBe("siteframe");
    expect(existsSync(join(folder(), jupyterlab._build.load))).toBe(true);
    const { uninstallInstructions } = JSON.parse(readFileSync(join(folder(), "install.json"), "utf8"));
    expect(uninstallInstructions).toContain("siteframe kernel uninstall");
  });

  test("contains the hashes of the scripts of all frames", () => {
    installLabExtension(place());
    const hashes = readFileSync(join(folder(), "static", "frame-hashes.js"), "utf8");
    for (const kind of ["chart", "map", "near-table"] as const) expect(hashes).toContain(frameScript(kind).hash);
  });

  test("replaces an earlier installation", () => {
    installLabExtension(place());
    const first = readdirSync(folder(), { recursive: true }).sort();
    writeFileSync(join(folder(), "static", "old.js"), "");
    installLabExtension(place());
    expect(readdirSync(folder(), { recursive: true }).sort()).toEqual(first);
  });

  test("is removed completely, and nothing else", () => {
    const other = join(folder(), "..", "other");
    mkdirSync(other, { recursive: true });
    installLabExtension(place());
    expect(uninstallLabExtension(place())).toBe(folder());
    expect(readdirSync(join(folder(), ".."))).toEqual(["other"]);
    expect(uninstallLabExtension(place())).toBeUndefined();
  });

  test("does not replace or remove another extension of the same name", () => {
    mkdirSync(folder(), { recursive: true });
    writeFileSync(join(folder(), "package.json"), '{ "name": "siteframe" }');
    expect(() => installLabExtension(place())).toThrow(/is not Siteframe's/);
    expect(uninstallLabExtension(place())).toBeUndefined();
    expect(readdirSync(folder())).toEqual(["package.json"]);
  });
});
