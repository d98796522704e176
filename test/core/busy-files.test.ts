import { expect, it } from "vitest";
import { whileBusy } from "../../src/core/busy-files.js";

/** Fails with the codes, one after the other, and then returns the number of calls. */
function failing(...codes: readonly string[]): () => Promise<number> {
  let calls = 0;
  return async () => {
    const code = codes[calls];
    calls += 1;
    if (code !== undefined) throw Object.assign(new Error(`${code}: rename`), { code });
    return calls;
  };
}

it("waits on Windows while another program has a file open", async () => {
  expect(await whileBusy(failing("EBUSY", "EPERM", "EACCES"), "win32")).toBe(4);
});

it("throws other errors at once, and every error on other systems", async () => {
  await expect(whileBusy(failing("ENOENT"), "win32")).rejects.toThrow("ENOENT: rename");
  await expect(whileBusy(failing("EACCES"), "linux")).rejects.toThrow("EACCES: rename");
});
