import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { fromRecords, openSnapshot, pinGeneration, pull, SnapshotError } from "../../../src/index.js";
import { listGenerations } from "../../../src/snapshot/folder/manifest-file.js";
import { removeUnlisted } from "../../../src/snapshot/folder/prune-generations.js";
import { isPartPath } from "../../../src/snapshot/format/snapshot-paths.js";
import { openStore } from "../../../src/snapshot/serve/open-store.js";
import { verifySnapshot } from "../../../src/snapshot/verify-snapshot.js";
import { writeSnapshot } from "../../../src/snapshot/write/write-snapshot.js";
import { randomRuns } from "../../support/random-runs.js";
import { dataset, feature } from "../../support/records.js";
import { pruneLater } from "../prune-later.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();
const isWindows = process.platform === "win32";
let made = 0;

const first = join(folder, "first");

beforeAll(async () => {
  for (const count of [1, 2]) {
    const layerFeatures = Array.from({ length: count }, (_, index) => feature(index + 1, { site_id: 1 }));
    await writeSnapshot(first, { datasets: [dataset(1)], layerFeatures });
  }
});

/** A snapshot of two generations. */
function twoGenerations(): string {
  const path = join(folder, `received-${++made}`);
  cpSync(first, path, { recursive: true });
  return path;
}

/** A file outside the snapshot, with a name of a snapshot file. */
function foreignFile(): { readonly place: string; readonly file: string } {
  const place = join(folder, `others-${++made}`);
  const file = join(place, "part-0123456789abcdef.parquet");
  mkdirSync(place);
  writeFileSync(file, "precious");
  return { place, file };
}

const doors: readonly (readonly [string, (path: string) => Promise<unknown>])[] = [
  ["openSnapshot", (path) => openSnapshot(path)],
  ["openSnapshot of an earlier state", (path) => openSnapshot(path, { generation: 1 })],
  ["serve", (path) => openStore(path)],
  ["verify", (path) => verifySnapshot(path)],
  ["list", (path) => listGenerations(path)],
  ["prune", (path) => pruneLater(path, 1)],
  ["pin", (path) => pinGeneration(path)],
  ["write", (path) => writeSnapshot(path, { datasets: [dataset(1)], layerFeatures: [feature(1, { site_id: 1 })] })],
  ["pull", (path) => pull(fromRecords({ datasets: [dataset(1)], layerFeatures: [feature(1)] }), path)],
];

describe.skipIf(isWindows)("a link in a snapshot", () => {
  it.each(doors)("is refused by %s, and its target stays", async (_, open) => {
    const path = twoGenerations();
    const { place, file } = foreignFile();
    const link = join(path, "files", "columns", "x");
    symlinkSync(place, link);
    await expect(open(path)).rejects.toMatchObject({
      name: "SnapshotError",
      message: expect.stringContaining(`${link} is a link to ${place}. Snapshots must not contain links`),
      facts: { path: link, target: place },
    });
    expect(readFileSync(file, "utf8")).toBe("precious");
  });

  it.each([
    "manifest.json",
    ".lock",
    ".lock-1",
    ".pull",
    "files/layer_features",
    "files/layer_features/site_id=1",
    "files/layer_features/site_id=9",
    "files/layer_features/backup",
    "files/layer_features/site_id=1/part-0123456789abcdef.parquet",
    "files/columns",
    "files/columns/layer_features",
    "generations",
    "generations/000001.json",
    "generations/000001",
    "files/gone_features",
  ])("is found at %s", async (name) => {
    const path = twoGenerations();
    const away = `${path}-away`;
    if (existsSync(join(path, name))) renameSync(join(path, name), away);
    else mkdirSync(away);
    mkdirSync(dirname(join(path, name)), { recursive: true });
    symlinkSync(away, join(path, name));
    await expect(openSnapshot(path)).rejects.toThrow(`${join(path, name)} is a link to ${away}`);
    await expect(pruneLater(path, 1)).rejects.toThrow(`${join(path, name)} is a link`);
    expect(existsSync(away)).toBe(true);
  });

  it.each([".", "site_id=1", "/nowhere", "../../received"])("is refused with any target: %s", async (target) => {
    const path = twoGenerations();
    symlinkSync(target, join(path, "files", "layer_features", "site_id=2"));
    await expect(openSnapshot(path)).rejects.toThrow(`site_id=2 is a link to ${target}`);
  });

  it("is not part of a snapshot outside its folders", async () => {
    const path = twoGenerations();
    symlinkSync(folder, join(path, "notes"));
    const snapshot = await openSnapshot(path);
    expect((await snapshot.sql("SELECT count(*)::INTEGER AS n FROM layer_features")).get("n", 0)).toBe(2);
    await snapshot.close();
    await pruneLater(path, 1);
    expect(existsSync(join(path, "notes"))).toBe(true);
  });

  it("is refused if the manifest is still missing", async () => {
    const { place, file } = foreignFile();
    const path = join(folder, `new-${++made}`);
    mkdirSync(path);
    symlinkSync(place, join(path, "files"));
    await expect(writeSnapshot(path, { layerFeatures: [feature(1)] })).rejects.toThrow("is a link to");
    expect(readdirSync(place)).toEqual(["part-0123456789abcdef.parquet"]);
    expect(readFileSync(file, "utf8")).toBe("precious");
  });

  it("is not followed if it was made after the snapshot was opened", async () => {
    const path = twoGenerations();
    const snapshot = await openSnapshot(path);
    const sandboxed = await openSnapshot(path, { generation: 1 });
    const replaceByLink = (name: string) => {
      renameSync(join(path, "files", name), `${path}-${name}`);
      symlinkSync(`${path}-${name}`, join(path, "files", name));
      return `${join(path, "files", name)} is a link`;
    };
    const [columns, features] = ["columns", "layer_features"].map(replaceByLink);
    await expect(snapshot.layer({ site_id: 1 })).rejects.toThrow(columns);
    await expect(snapshot.sql("FROM layer_features")).rejects.toThrow(features);
    await expect(sandboxed.sql("FROM layer_features", { sandbox: true })).rejects.toThrow("is a link");
    await snapshot.close();
    await sandboxed.close();
  });

  it("is not followed if it is made between listing and removal", async () => {
    const path = twoGenerations();
    const { place, file } = foreignFile();
    const removed = removeUnlisted(path);
    // Listing has begun, and has not reached the folder.
    mkdirSync(join(path, "files", "layer_features", "site_id=7"));
    writeFileSync(join(path, "files", "layer_features", "site_id=7", "part-0123456789abcdef.parquet"), "");
    rmSync(join(path, "files", "layer_features", "site_id=7"), { recursive: true });
    symlinkSync(place, join(path, "files", "layer_features", "site_id=7"));
    await removed.catch((error: unknown) => expect(error).toBeInstanceOf(SnapshotError));
    expect(readFileSync(file, "utf8")).toBe("precious");
  });
});

describe.skipIf(isWindows)("a pipe in a snapshot", () => {
  it.each([
    "manifest.json",
    ".lock",
    "generations/000001.json",
    "files/layer_features/site_id=1/part-0123456789abcdef.parquet",
  ])("is refused without waiting at %s", async (name) => {
    const path = twoGenerations();
    rmSync(join(path, name), { force: true });
    execFileSync("mkfifo", [join(path, name)]);
    await expect(openSnapshot(path)).rejects.toThrow(`${join(path, name)} is neither a file nor a folder`);
    await expect(pruneLater(path, 1)).rejects.toThrow(SnapshotError);
  });

  it("is refused also after the snapshot was opened", async () => {
    const path = twoGenerations();
    const snapshot = await openSnapshot(path);
    for (const { columns } of (await listGenerations(path)).at(-1)?.files ?? []) {
      if (!columns) continue;
      rmSync(join(path, columns.path));
      execFileSync("mkfifo", [join(path, columns.path)]);
    }
    await expect(snapshot.layer({ site_id: 1 })).rejects.toThrow(SnapshotError);
    await snapshot.close();
  });
});

interface ForgedFile extends Record<string, unknown> {
  columns?: object;
}

interface Forged {
  files: ForgedFile[];
  gone_files?: Record<string, unknown>[];
  [member: string]: unknown;
}

/** A snapshot with a changed manifest, whose hash fits it. */
function forged(change: (manifest: Forged) => void): string {
  const path = twoGenerations();
  const place = join(path, "manifest.json");
  const { sha256: _, ...manifest } = JSON.parse(readFileSync(place, "utf8")) as Forged;
  change(manifest);
  const sha256 = createHash("sha256").update(JSON.stringify(manifest)).digest("hex");
  writeFileSync(place, JSON.stringify({ ...manifest, sha256 }));
  return path;
}

const PART = "part-0123456789abcdef.parquet";
const hostilePaths = [
  `files/layer_features/../../${PART}`,
  `/files/layer_features/${PART}`,
  `files/layer_features//etc/${PART}`,
  `files/layer_features/./${PART}`,
  `files/layer_features/..\\..\\${PART}`,
  `files/layer_features/C:/${PART}`,
  `files/layer_features/${PART}:stream`,
  `files/layer_features/${PART}\0`,
  `files/layer_features/site_id=1\n/${PART}`,
  `files/layer_features/*.parquet`,
  `files/layer_features/site_id=1/key`,
  `files/layer_features/site_id=1/site_id=2/${PART}`,
  `files/layer_features/site_id=1/CON/${PART}`,
  `files/Layer_Features/${PART}`,
  `files/layer_features/${PART.toUpperCase()}`,
  `files/layer_features/site_id=1/part-０123456789abcdef.parquet`,
  `files/layer_featureś/${PART}`,
  `files/layer_features/%2e%2e/${PART}`,
  `s3://bucket/files/layer_features/${PART}`,
  `files/columns/layer_features/${PART}`,
  `files/layer_features/part-0123456789abcdef.columns`,
  "files/layer_features",
  "",
];

describe("a forged manifest", () => {
  it.each(hostilePaths)("is refused: a file and a column file at %j", async (hostile) => {
    for (const place of [(file: ForgedFile) => file, ({ columns }: ForgedFile) => columns]) {
      const path = forged(({ files }) => {
        Object.assign(place(files.at(-1) ?? {}) ?? {}, { path: hostile });
      });
      await expect(openSnapshot(path)).rejects.toThrow("was altered after it was written");
    }
  });

  it("is refused: a column file of features that are gone", async () => {
    const path = forged((manifest) => {
      const [file] = manifest.files;
      const columns = { path: "../../x", bytes: 1, sha256: "0".repeat(64) };
      manifest.gone_files = [{ ...file, resource: "layerFeatures", path: `files/gone_features/${PART}`, columns }];
    });
    await expect(openSnapshot(path)).rejects.toThrow("was altered after it was written");
  });

  it.each(["0]); COPY (SELECT 1) TO 'x'; --", -1, 1.5, null, "1", 1e300])(
    "is refused: %j rows, which are part of statements",
    async (rows) => {
      const path = forged(({ files }) => {
        for (const file of files) file["rows"] = rows;
      });
      await expect(openSnapshot(path)).rejects.toThrow("was altered after it was written");
    },
  );

  it.each([
    ["site_id", "1/../.."],
    ["path", 5],
    ["columns", null],
    ["bytes", "12"],
    ["bytes", -1],
    ["sha256", "../x"],
    ["resource", "nothing"],
    ["resource", "constructor"],
  ])("is refused: %s of a file is %j", async (member, value) => {
    const path = forged(({ files }) => {
      Object.assign(files.at(-1) ?? {}, { [member]: value });
    });
    await expect(openSnapshot(path)).rejects.toThrow("was altered after it was written");
  });

  it.each([
    ["origin", undefined],
    ["origin", { kind: "memory", name: 1 }],
    ["scope", undefined],
    ["scope", { site_id: "1" }],
    ["scope", { site_id: [{}] }],
    ["watermarks", undefined],
    ["watermarks", { propertyChanges: 1 }],
    ["read_at", "never"],
    ["files", [null]],
    ["gone_files", [null]],
    ["found", { added: "1" }],
    ["read_times", { sites: "now" }],
    ["written_at", "soon"],
    ["generation", 1.5],
    ["generation", "1"],
    ["generation", -1],
    ["generation", 1e21],
  ])("is refused: %s is %j", async (member, value) => {
    const path = forged((manifest) => {
      manifest[member] = value;
    });
    await expect(openSnapshot(path)).rejects.toThrow("was altered after it was written");
  });

  it("has only paths in the folder of the table", () => {
    const word = fc.constantFrom(
      "..",
      ".",
      "",
      "/",
      "\\",
      "\0",
      ":",
      "*",
      "site_id=1",
      PART,
      "files/layer_features",
      "é",
      "C:",
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.string()), { maxLength: 6 }), (words) => {
        for (const path of [words.join("/"), words.join(""), `files/layer_features/${words.join("/")}`]) {
          if (!isPartPath(path, "files/layer_features")) continue;
          expect(path).toMatch(/^files\/layer_features\/(?:site_id=[-\w]+\/)?part-[0-9a-f]{16}\.parquet$/);
        }
      }),
      { numRuns: randomRuns(2000) },
    );
  });
});

describe("a forged journal of a pull", () => {
  const source = fromRecords({ datasets: [dataset(1)], layerFeatures: [feature(1)] });

  /** A folder in which a pull of the source seems to have stopped after a step. */
  function withJournal(step: unknown): string {
    const path = join(folder, `stopped-${++made}`);
    mkdirSync(join(path, ".pull"), { recursive: true });
    const header = {
      version: 4,
      origin: source.origin.name,
      site_id: null,
      generation: 0,
      pseudonyms: null,
      rewrite: false,
      fullLog: false,
      started_at: new Date().toISOString(),
    };
    const text = typeof step === "string" ? step : JSON.stringify(step);
    writeFileSync(join(path, ".pull", "journal.ndjson"), `${JSON.stringify(header)}\n${text}\n`);
    return path;
  }

  const step = (path: string, bytes: number) => ({
    step: "sites",
    from: "2025-01-01T00:00:00Z",
    to: "2025-01-01T00:00:00Z",
    files: [{ path, resource: "sites", rows: 1, bytes, sha256: "0".repeat(64) }],
  });

  it("adds no foreign file to the snapshot", async () => {
    const { file } = foreignFile();
    const away = `../../${file.slice(folder.length + 1)}`;
    const path = withJournal(step(away, statSync(file).size));
    const { resumed } = await pull(source, path);
    expect(resumed).toBe(false);
    expect(readFileSync(file, "utf8")).toBe("precious");
  });

  it.each([["no JSON"], ["null"], [{}], [{ step: "sites" }], [{ ...step("sites/x", 1), files: "all" }]])(
    "is ignored: %j",
    async (line) => {
      const path = withJournal(line);
      expect((await pull(source, path)).resumed).toBe(false);
      await (await openSnapshot(path)).close();
    },
  );

  it.skipIf(isWindows)("does not truncate a file that has another hard link", async () => {
    const { file } = foreignFile();
    const path = join(folder, `linked-${++made}`);
    mkdirSync(join(path, ".pull"), { recursive: true });
    linkSync(file, join(path, ".pull", "journal.ndjson"));
    await pull(source, path);
    expect(readFileSync(file, "utf8")).toBe("precious");
  });
});

it.skipIf(isWindows)("accepts hard links, as pinning and backups make them", async () => {
  const path = twoGenerations();
  await pinGeneration(path);
  const copy = `${path}-copy`;
  cpSync(path, copy, { recursive: true });
  const [file] = (await listGenerations(path)).at(-1)?.files ?? [];
  rmSync(join(copy, file?.path ?? ""));
  linkSync(join(path, file?.path ?? ""), join(copy, file?.path ?? ""));
  expect((await verifySnapshot(copy)).damage).toEqual([]);
  await pruneLater(copy, 1);
  expect((await verifySnapshot(path)).damage).toEqual([]);
});
