import { expect, test } from "vitest";
import { tslabConverter } from "../../../../src/kernel/engine/tslab/load-tslab.js";

const failing = (message: string) => () => {
  throw Object.assign(new Error(message), { code: "MODULE_NOT_FOUND" });
};

test("a missing tslab is reported with the command to install it", () => {
  expect(() => tslabConverter(failing("Cannot find module 'tslab/dist/converter.js'"))).toThrow(
    expect.objectContaining({
      code: "ERR_DEPENDENCY",
      message: "The engine tslab needs the package tslab, which is not installed.",
      hint: expect.stringContaining("npm install tslab@1"),
    }),
  );
});

test("other errors are passed on", () => {
  expect(() => tslabConverter(failing("Cannot find module 'semver'"))).toThrow("semver");
});

test("the installed tslab is found", () => {
  expect(tslabConverter()).toMatch(/tslab[\\/]dist[\\/]converter\.js$/);
});
