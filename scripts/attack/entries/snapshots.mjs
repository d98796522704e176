// Snapshot folders from elsewhere: damaged files, with and without matching checksums.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import fc from "fast-check";
import { damagedBytes, damagedJson } from "../mutations.mjs";
import { startWorker } from "../worker-target.mjs";
import { world } from "../world.mjs";

const main = join(import.meta.dirname, "../../../dist/cli/main.js");

/** Writes the small company as a snapshot. */
export function writeSnapshot(folder) {
  const [records, snapshot] = [join(folder, "records"), join(folder, "valid.snapshot")];
  mkdirSync(records);
  for (const [name, rows] of Object.entries(world)) {
    const file = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    writeFileSync(join(records, `${file}.ndjson`), rows.map((row) => JSON.stringify(row)).join("\n"));
  }
  execFileSync(process.execPath, [main, "import", records, snapshot], { stdio: "ignore" });
  return snapshot;
}

export async function prepare(folder) {
  const valid = writeSnapshot(folder);
  const files = readdirSync(valid, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(valid, join(entry.parentPath ?? entry.path, entry.name)))
    .sort();
  const manifest = JSON.parse(readFileSync(join(valid, "manifest.json"), "utf8"));
  const damagedFile = (name) =>
    name.endsWith(".json")
      ? damagedJson(JSON.parse(readFileSync(join(valid, name), "utf8"))).map((text) => Buffer.from(text))
      : damagedBytes(readFileSync(join(valid, name)));
  const plain = { file: "manifest.json", isSigned: false, isMissing: false };
  const deep = JSON.stringify({ ...manifest, scope: "deep" }).replace(
    '"deep"',
    "[".repeat(100_000) + "]".repeat(100_000),
  );
  const outside = { ...manifest, files: manifest.files.map((file) => ({ ...file, path: "../../../../etc/passwd" })) };
  return {
    corpus: [
      { name: "valid", input: { ...plain, bytes: readFileSync(join(valid, "manifest.json")) } },
      { name: "a deep manifest", input: { ...plain, bytes: Buffer.from(deep) } },
      { name: "files outside of the folder", input: { ...plain, bytes: Buffer.from(JSON.stringify(outside)) } },
    ],
    arbitrary: fc.oneof(fc.constant("manifest.json"), fc.constantFrom(...files)).chain((file) =>
      fc.record({
        file: fc.constant(file),
        bytes: damagedFile(file),
        // With its checksum, a file is read further.
        isSigned: fc.nat(3).map((number) => number > 0),
        isMissing: fc.nat(20).map((number) => number === 0),
      }),
    ),
    start: () => startWorker("snapshots", { folder, valid }),
  };
}

export async function attack({ folder, valid }) {
  const { diffSnapshots, openSnapshot, verifySnapshot } = await import("../../../dist/index.js");
  const damaged = join(folder, "damaged.snapshot");
  return async ({ file, bytes, isSigned, isMissing }, { attempt }) => {
    rmSync(damaged, { recursive: true, force: true });
    cpSync(valid, damaged, { recursive: true });
    if (isMissing) rmSync(join(damaged, file));
    else writeFileSync(join(damaged, file), bytes);
    if (isSigned && file !== "manifest.json") sign(damaged, file, bytes);
    await attempt(() => verifySnapshot(damaged));
    const snapshot = await attempt(() => openSnapshot(damaged));
    if (!snapshot) return;
    try {
      const scope = { site_id: 101 };
      await attempt(() => snapshot.sites());
      await attempt(() => snapshot.operations());
      await attempt(() => snapshot.layer(scope));
      const history = await attempt(() => snapshot.history(scope));
      if (history) await attempt(() => history.counts("STATUS", ["2024-01-05", "2024-02-05"]));
      await attempt(() => snapshot.sql("SELECT * FROM layer_features"));
      await attempt(() => snapshot.sql("SELECT * FROM PUNCH_LIST_ITEMS"));
      const questions = await attempt(() => snapshot.lazyHistory(scope));
      if (questions) await attempt(() => questions.counts("STATUS", ["2024-01-05"]));
      await attempt(() => diffSnapshots(valid, damaged));
    } finally {
      await attempt(() => snapshot.close());
    }
  };
}

/** Writes the file's new length and checksum into the manifest. */
function sign(folder, name, bytes) {
  const path = join(folder, "manifest.json");
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const manifest = JSON.parse(readFileSync(path, "utf8"));
  for (const file of manifest.files) {
    for (const one of [file, file.columns]) if (one?.path === name) Object.assign(one, { bytes: bytes.length, sha256 });
  }
  writeFileSync(path, JSON.stringify(manifest));
}
