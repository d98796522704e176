import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
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
import { openSnapshot } from "../../src/index.js";
import { readGeneration } from "../../src/snapshot/folder/read-generation.js";
import { exportNdjson } from "../../src/snapshot/ndjson/export-ndjson.js";
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
    const error = await use().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SnapshotError);
    if (typeof message === "string") expect((error as Error).message).toContain(message);
    else expect((error as Error).message).toMatch(message);
  }
}

function editManifest(path: string, edit: (manifest: object) => void): void {
  const file = join(path, "manifest.json");
  const manifest = JSON.parse(readFileSync(file, "utf8")) as object;
  edit(manifest);
  writeFileSync(file, JSON.stringify(manifest));
}

describe("a damaged snapshot is refused with the file's name", () => {
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

  it("a file with any byte altered", async () => {
    const { path, file } = copy();
    const content = readFileSync(file);
    for (let at = 0; at < content.length; at += Math.ceil(content.length / 8)) {
      const altered = Buffer.from(content);
      altered[at] = (altered[at] ?? 0) ^ 0xff;
      writeFileSync(file, altered);
      await expectRefusal(path, `${file} was altered`);
    }
  });

  it("an altered manifest", async () => {
    const { path } = copy();
    editManifest(path, (manifest) => Object.assign(manifest, { files: [] }));
    await expectRefusal(path, /manifest\.json was altered/);
  });

  it.each([[undefined], [null], [-1], [5.5], ["Ada"], [{ name: "Ada" }]])(
    "a format version that is not a count: %j",
    async (version) => {
      const { path } = copy();
      editManifest(path, (manifest) => Object.assign(manifest, { version }));
      await expectRefusal(path, /manifest\.json was altered after it was written\.$/);
    },
  );

  it("an unknown format version", async () => {
    const { path } = copy();
    editManifest(path, (manifest) => Object.assign(manifest, { version: 6 }));
    await expectRefusal(path, /manifest\.json has format version 6, and this Siteframe reads version 5/);
  });

  it("a foreign manifest", async () => {
    const { path } = copy();
    const deep = "[".repeat(1_000_000);
    for (const content of ['{"name":"an app"}', "[]", "null", "not JSON", "", deep, `{"files":${deep}`]) {
      writeFileSync(join(path, "manifest.json"), content);
      await expectRefusal(path, /manifest\.json is /);
    }
  });

  it("a manifest that something else has signed", async () => {
    const { path } = copy();
    const text = readFileSync(join(path, "manifest.json"), "utf8");
    const { sha256: _, ...manifest } = JSON.parse(text) as Record<string, unknown>;
    const [first] = manifest["files"] as readonly object[];
    for (const edit of [
      ...[{ origin: undefined }, { scope: undefined }, { watermarks: undefined }],
      ...[{ generation: "1" }, { generation: -1 }, { generation: 1e21 }, { read_at: "never" }],
      ...[{ files: [null] }, { files: [{ ...first, path: 5 }] }, { files: [{ ...first, columns: null }] }],
      ...[{ gone_files: [null] }, { files: [{ ...first, bytes: "many" }] }],
    ]) {
      const signed = JSON.stringify({ ...manifest, ...edit });
      const hash = createHash("sha256").update(signed).digest("hex");
      writeFileSync(join(path, "manifest.json"), `${signed.slice(0, -1)},"sha256":"${hash}"}`);
      await expectRefusal(path, "manifest.json was altered after it was written");
      await expect(openSnapshot(path)).rejects.toThrow("manifest.json was altered after it was written");
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
    await expectRefusal(path, `${file} is neither a file nor a folder, and a snapshot has nothing else.`);
    rmSync(file);
    mkdirSync(file);
    await expectRefusal(path, `${path} is no snapshot: its manifest.json is missing or cannot be read`);
  });

  it("a folder that is no snapshot, a file, and nothing at all", async () => {
    const { path, file } = copy();
    rmSync(join(path, "manifest.json"));
    await expectRefusal(path, `${path} is no snapshot: its manifest.json is missing`);
    await expectRefusal(file, `${file} is a file`);
    await expectRefusal(join(folder, "nowhere"), `There is no snapshot at ${join(folder, "nowhere")}`);
  });

  it("a folder below one that names a site", async () => {
    const { path } = copy();
    const below = join(folder, "site_id=9", "snapshot");
    mkdirSync(dirname(below));
    renameSync(path, below);
    await expectRefusal(below, `${below} lies in site_id=9, which would be taken for the site of every row`);
    await expect(writeSnapshot(join(folder, "site_id=9", "new"), {})).rejects.toThrow(/lies in site_id=9/);
  });
});

describe("writeSnapshot", () => {
  it("does not touch a folder that holds something else", async () => {
    const path = join(folder, "photos");
    mkdirSync(path);
    writeFileSync(join(path, "holiday.jpg"), "");
    await expect(writeSnapshot(path, {})).rejects.toThrow(/photos is no snapshot and not empty: it holds holiday\.jpg/);
  });

  it("replaces a snapshot as a whole, while its readers go on", async () => {
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

  it("is alone in its folder", async () => {
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
    await expect(writeSnapshot(path, {})).rejects.toThrow(/is being written by process/);
    end();
    expect((await first).generation).toBe(2);
  });

  it("keeps the old snapshot when a record cannot be stored", async () => {
    const { path } = copy();
    const before = readFileSync(join(path, "manifest.json"), "utf8");
    await expect(writeSnapshot(path, { sites: [{ id: 1 }] })).rejects.toThrow(/sites:1: company_id: is missing/);
    expect(readFileSync(join(path, "manifest.json"), "utf8")).toBe(before);
  });
});
