import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

it("benches and scripts import modules of the current build", () => {
  const folders = ["bench", "scripts"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".mjs"))
      .map((name) => `${folder}/${name}`),
  );
  const programs = [...folders, "site/write-examples.mjs", "site/.vitepress/config.mjs"];
  const imports = programs.flatMap((program) =>
    [...readFileSync(program, "utf8").matchAll(/"(?:\.\.\/)+modules\/([^"]+)\.js"/g)].map(([, name]) => ({
      program,
      name,
    })),
  );
  expect(imports.length).toBeGreaterThan(10);
  expect(
    imports.filter(({ name }) => !existsSync(name?.startsWith("sample/") ? `${name}.ts` : `src/${name}.ts`)),
  ).toEqual([]);
});
