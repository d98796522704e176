import { expect, it } from "vitest";
import { loadZeroMQ } from "../../../src/kernel/wire/sockets.js";

it("reports a missing zeromq with the command to install it", async () => {
  const missing = Object.assign(new Error("Cannot find package 'zeromq' imported from load-zeromq.js"), {
    code: "ERR_MODULE_NOT_FOUND",
  });
  await expect(loadZeroMQ(() => Promise.reject(missing))).rejects.toMatchObject({
    code: "ERR_DEPENDENCY",
    message: "The kernel needs the package zeromq, which is not installed.",
    hint: expect.stringContaining("npm install zeromq@6"),
    cause: missing,
  });
});

it("passes other errors on", async () => {
  const broken = Object.assign(new Error("Cannot find package 'cmake-ts' imported from zeromq"), {
    code: "ERR_MODULE_NOT_FOUND",
  });
  await expect(loadZeroMQ(() => Promise.reject(broken))).rejects.toBe(broken);
});

it("loads the installed zeromq", async () => {
  expect((await loadZeroMQ()).Router).toBeTypeOf("function");
});
