import { expect, it } from "vitest";
import { loadZeroMQ } from "../../../src/kernel/wire/load-zeromq.js";

it("says what to install where zeromq is missing", async () => {
  const missing = Object.assign(new Error("Cannot find package 'zeromq' imported from load-zeromq.js"), {
    code: "ERR_MODULE_NOT_FOUND",
  });
  await expect(loadZeroMQ(() => Promise.reject(missing))).rejects.toMatchObject({
    code: "ERR_ARGUMENT",
    message: "The kernel needs the package zeromq, which is not installed.",
    hint: expect.stringContaining("npm install zeromq@6"),
    cause: missing,
  });
});

it("passes other failures on", async () => {
  const broken = Object.assign(new Error("Cannot find package 'cmake-ts' imported from zeromq"), {
    code: "ERR_MODULE_NOT_FOUND",
  });
  await expect(loadZeroMQ(() => Promise.reject(broken))).rejects.toBe(broken);
});

it("loads the real one", async () => {
  expect((await loadZeroMQ()).Router).toBeTypeOf("function");
});
