import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { engineNames } from "../../src/kernel/engine/cell/engine-name.js";
import { installKernel } from "../../src/kernel/install/install-kernel.js";
import { languageInfo } from "../../src/kernel/install/language-info.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";

function sortKeys(_key: string, value: unknown): unknown {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
}

const spec = installedSpec();

const names = [...readdirSync("notebooks"), ...readdirSync("notebooks/reports").map((name) => `reports/${name}`)];

describe.each(names.filter((name) => name.endsWith(".ipynb")))("notebooks/%s", (name) => {
  it("is written as Jupyter and VS Code write notebooks, keys in order", () => {
    const text = readFileSync(join("notebooks", name), "utf8");
    expect(text).toBe(`${JSON.stringify(JSON.parse(text, sortKeys), undefined, 1)}\n`);
  });

  it("has the metadata of the installed kernel, so that saving it in Jupyter or VS Code changes nothing", () => {
    const { metadata } = JSON.parse(readFileSync(join("notebooks", name), "utf8"));
    const { display_name, language } = spec;
    expect(metadata.kernelspec).toEqual({ name: "siteframe", display_name, language });
    expect(metadata.language_info).toEqual(languageInfo(engineNames[0]));
  });
});

it("the version of the language is the version of the package's compilers", () => {
  const { optionalDependencies, devDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  const native = Object.entries(optionalDependencies).filter(([name]) => name.startsWith("@typescript/"));
  expect(new Set(native.map(([, version]) => version))).toEqual(new Set([languageInfo("typescript").version]));
  expect(devDependencies["@tslab/typescript-for-tslab"]).toBe(languageInfo("tslab").version);
});

function installedSpec(): { readonly display_name: unknown; readonly language: unknown } {
  const installed = installKernel({ place: { type: "prefix", prefix: temporaryFolder() } });
  return JSON.parse(readFileSync(join(installed, "kernel.json"), "utf8"));
}
