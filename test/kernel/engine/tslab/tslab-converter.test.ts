import { expect, test } from "vitest";
import { tslabConverter } from "../../../../src/kernel/engine/tslab/tslab-converter.js";

const failing = (message: string) => () => {
  throw Object.assign(new Error(message), { code: "MODULE_NOT_FOUND" });
};

test("says what to install where tslab is missing", () => {
  expect(() => tslabConverter(failing("Cannot find module 'tslab/dist/converter.js'"))).toThrow(
    expect.objectContaining({
      code: "ERR_ARGUMENT",
      message: "The engine tslab needs the package tslab, which is not installed.",
      hint: expect.stringContaining("npm install tslab@1"),
    }),
  );
});

test("passes other failures on", () => {
  expect(() => tslabConverter(failing("Cannot find module 'semver'"))).toThrow("semver");
});

test("finds the one that is installed", () => {
  expect(tslabConverter()).toMatch(/tslab[\\/]dist[\\/]converter\.js$/);
});
