import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { languageLibraries } from "../../../../../src/kernel/engine/typescript/check/cell-project.js";
import { nativeCompiler } from "../../../../../src/kernel/engine/typescript/check/native-compiler.js";

const libraries = readdirSync(dirname(nativeCompiler()));

test.each(["20.19.0", "22.12.0", "24.0.0", "26.1.0"])("the compiler has the libraries of Node %s", (version) => {
  for (const name of languageLibraries(version)) expect(libraries).toContain(`lib.${name}.d.ts`);
});

test("a later Node has all that an earlier one has", () => {
  expect(languageLibraries("24.0.0")).toEqual(expect.arrayContaining([...languageLibraries("20.19.0")]));
  expect(languageLibraries("20.19.0")).not.toContain("es2024");
});
