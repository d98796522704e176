import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { endpointOf } from "../../src/api/endpoints.js";
import { SnapshotError } from "../../src/core/errors.js";
import { readGeneration } from "../../src/snapshot/folder/manifest-file.js";
import { exportNdjson } from "../../src/snapshot/ndjson/ndjson-files.js";
import { openStore } from "../../src/snapshot/serve/open-store.js";
import { verifySnapshot } from "../../src/snapshot/verify-snapshot.js";
import { writeSnapshot } from "../../src/snapshot/write/write-snapshot.js";
import { feature } from "./feature.js";
import { readAll } from "./read-all.js";
import { temporaryFolder } from "./temporary-folder.js";

const folder = temporaryFolder();
const original = join(folder, "original.snapshot");
let copies = 0;

beforeAll(async () => {
  await writeSnapshot(original, { layerFeatures: [1, 2, 3].map((id) => feature(id, { STATUS: "OPEN" })) });
});

/** A copy of the snapshot, and the path of one of its Parquet files. */
function copy(): { path: string; file: string } {
  const path = join(folder, `copy-${++copies}.snapshot`);
  cpSync(original, path, { recursive: true });
  const site = join(path, "files", "layer_features", "site_id=1");
  const [name = ""] = readdirSync(site);
  return { path, file: join(site, name) };
}

async function expectRefusal(path: string, message: RegExp | string): Promise<void> {
  for (const use of [() => openStore(path), () => exportNdjson(path, join(folder, "export"))]) {
    const refused = use();
    await expect(refused).rejects.toBeInstanceOf(SnapshotError);
    await expect(refused).rejects.toThrow(message);
  }
}

function editManifest(path: string, members: object): void {
  const file = join(path, "manifest.json");
  const manifest = JSON.parse(readFileSync(file, "utf8")) as object;
  writeFileSync(file, JSON.stringify({ ...manifest, ...members }));
}

describe("errors with the file name for", () => {
  it("a missing file", async () => {
    const { path, file } = copy();
    rmSync(file);
    await expectRefusal(path, `${file} is missing`);
  });

  it("a truncated file", async () => {
    const { path, file } = copy();
    const size = readFileSync(file).length;
    truncateSync(file, size - 1);
    await expectRefusal(path, `${file} has ${size - 1} bytes instead of ${size}`);
  });

  it("an altered manifest", async () => {
    const { path } = copy();
    editManifest(path, { files: [] });
    await expectRefusal(path, /manifest\.json was altered/);
  });

  it.each([[undefined], [null], [-1], [5.5], ["Ada"], [{ name: "Ada" }]])(
    "an invalid format version: %j",
    async (version) => {
      const { path } = copy();
      editManifest(path, { version });
      await expectRefusal(path, /manifest\.json was altered after it was written\.$/);
    },
  );

  it("an unknown format version", async () => {
    const { path } = copy();
    editManifest(path, { version: 6 });
    await expectRefusal(path, /manifest\.json has format version 6, but this Siteframe reads version 5/);
  });

  it("a foreign manifest", async () => {
    const { path } = copy();
    const deep = "[".repeat(1_000_000);
    for (const content of ['{"name":"an app"}', "[]", "null", "not JSON", "", deep, `{"files":${deep}`]) {
      writeFileSync(join(path, "manifest.json"), content);
      await expectRefusal(path, /manifest\.json is /);
    }
  });

  it("a manifest of many megabytes", async () => {
    const { path } = copy();
    for (const content of ["x".repeat(20e6), Buffer.alloc(20e6), `{"format":"${"n".repeat(20e6)}"}`]) {
      writeFileSync(join(path, "manifest.json"), content);
      await expectRefusal(path, /manifest\.json is /);
    }
  });

  it.skipIf(process.platform === "win32")("a manifest that is a pipe, or a folder", async () => {
    const { path } = copy();
    const file = join(path, "manifest.json");
    rmSync(file);
    execFileSync("mkfifo", [file]);
    await expectRefusal(path, `${file} is neither a file nor a folder.`);
    rmSync(file);
    mkdirSync(file);
    await expectRefusal(path, `${path} is not a snapshot: its manifest.json is missing or cannot be read`);
  });

  it("another folder, a file, and a missing path", async () => {
    const { path, file } = copy();
    rmSync(join(path, "manifest.json"));
    await expectRefusal(path, `${path} is not a snapshot: its manifest.json is missing`);
    await expectRefusal(file, `${file} is a file`);
    await expectRefusal(join(folder, "nowhere"), `No snapshot at ${join(folder, "nowhere")}`);
  });

  it("a folder below a folder that names a site", async () => {
    const { path } = copy();
    const below = join(folder, "site_id=9", "snapshot");
    mkdirSync(dirname(below));
    renameSync(path, below);
    await expectRefusal(below, `${below} is below site_id=9, which readers would use as the site of every row`);
    await expect(writeSnapshot(join(folder, "site_id=9", "new"), {})).rejects.toThrow(/is below site_id=9/);
  });
});

describe("writeSnapshot", () => {
  it("does not change a folder that has other files", async () => {
    const path = join(folder, "photos");
    mkdirSync(path);
    writeFileSync(join(path, "holiday.jpg"), "");
    await expect(writeSnapshot(path, {})).rejects.toThrow(
      /photos is not a snapshot and not empty: it contains holiday\.jpg/,
    );
  });

  it("replaces a snapshot as a whole, while its readers continue", async () => {
    const { path } = copy();
    const before = await openStore(path);
    const manifest = await writeSnapshot(path, { layerFeatures: [feature(9, {})] });
    expect(manifest.generation).toBe(2);
    const query = {
      filters: new Map([["site_id", [1]]]),
      page: 1,
      pageSize: 10,
      sort: [{ field: "visible_id", descending: false }],
    };
    expect((await before.page(endpointOf("layerFeatures"), query, { siteIds: undefined })).rowCount).toBe(3);
    expect(await readAll(path, "layerFeatures", new Map([["site_id", [1]]]))).toBe(
      `[${JSON.stringify(feature(9, {}))}]`,
    );
    await before.close();
    expect(readdirSync(path).filter((name) => name.startsWith("."))).toEqual([]);
    expect(readdirSync(join(path, "files", "layer_features", "site_id=1"))).toHaveLength(2);
    expect((await readGeneration(path, 1)).files).toHaveLength(manifest.files.length);
    expect((await verifySnapshot(path, 1)).damage).toEqual([]);
  });

  it("locks its folder", async () => {
    const { path } = copy();
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const slow = async function* () {
      await ended;
      yield feature(9, {});
    };
    const first = writeSnapshot(path, { layerFeatures: slow() });
    await vi.waitFor(() => expect(existsSync(join(path, ".lock"))).toBe(true), { interval: 1, timeout: 30_000 });
    await expect(writeSnapshot(path, {})).rejects.toThrow(/is locked by process/);
    end();
    expect((await first).generation).toBe(2);
  });

  it("keeps the earlier generation if a record cannot be stored", async () => {
    const { path } = copy();
    const before = readFileSync(join(path, "manifest.json"), "utf8");
    await expect(writeSnapshot(path, { sites: [{ id: 1 }] })).rejects.toThrow(/sites:1: company_id: is missing/);
    expect(readFileSync(join(path, "manifest.json"), "utf8")).toBe(before);
  });
});
