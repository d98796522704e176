import fs, { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { table } from "arquero";
import { afterEach, expect, it, vi } from "vitest";
import { toGeoPackage } from "../../../src/index.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";

const folder = temporaryFolder();

/** Whether the disk is full. */
const disk = vi.hoisted(() => ({ isFull: false }));

vi.mock("node:fs/promises", async (load) => {
  const real = await load<typeof import("node:fs/promises")>();
  const appendFile: typeof real.appendFile = async (...given) => {
    if (disk.isFull) throw full();
    await real.appendFile(...given);
  };
  return { ...real, appendFile };
});

function full(): Error {
  return Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC", syscall: "write" });
}

afterEach(() => {
  disk.isFull = false;
  vi.restoreAllMocks();
});

it("toGeoPackage() reports a full disk and keeps the existing file", async () => {
  const path = join(folder, "full.gpkg");
  writeFileSync(path, "before");
  disk.isFull = true;
  // SQLite writes by this function, and reports only that it failed.
  vi.spyOn(fs, "writeSync").mockImplementation(() => {
    throw full();
  });
  await expect(toGeoPackage(table({ id: [1, 2] }), { path })).rejects.toMatchObject({
    code: "ERR_FILE",
    message: `${path} cannot be written: the device has no space left.`,
    hint: expect.stringMatching(/^Free disk space/),
  });
  expect(readFileSync(path, "utf8")).toBe("before");
});
