import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readManifest } from "../../../src/snapshot/folder/manifest-file.js";
import { publish } from "../../../src/snapshot/folder/write-locked.js";
import { writeSnapshot } from "../../../src/snapshot/write/write-snapshot.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();

it("reports why a file cannot be moved into place", async () => {
  const [made, root] = [join(folder, "made"), join(folder, "root")];
  await writeSnapshot(made, {});
  const manifest = await readManifest(made);
  const path = manifest.files[0]?.path ?? "";
  mkdirSync(join(root, path, "in the way"), { recursive: true });
  await expect(publish(root, made, manifest)).rejects.toMatchObject({
    message: `Cannot move ${join(root, path)} into place.`,
    cause: { code: "EISDIR" },
  });
});

it("can be repeated after a stop before the first manifest", async () => {
  const path = join(folder, "stopped");
  const { files } = await writeSnapshot(path, {});
  rmSync(join(path, "manifest.json"));
  expect(await writeSnapshot(path, {})).toMatchObject({ generation: 1, files });
});
