import { closeSync, existsSync, ftruncateSync, mkdirSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SnapshotError } from "../../../src/core/errors.js";
import { importNdjson } from "../../../src/snapshot/ndjson/ndjson-files.js";
import { feature } from "../feature.js";
import { readAll } from "../read-all.js";
import { temporaryFolder, temporaryPaths } from "../temporary-folder.js";

const folder = temporaryFolder();
const newPath = temporaryPaths(folder);

function inputFolder(files: Readonly<Record<string, string | Buffer>>): string {
  const dir = newPath();
  mkdirSync(dir);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(dir, name), content);
  return dir;
}

const good = (id: number) => JSON.stringify(feature(id, {}));
const changed = (id: number, change: object) => JSON.stringify({ ...feature(id, {}), ...change });
const withStatus = (id: number, json: string) =>
  changed(id, { properties: { STATUS: 0 } }).replace('"STATUS":0', `"STATUS":${json}`);
const site1 = new Map([["site_id", [1]]]);

describe("importNdjson", () => {
  it.each([
    ["cut off", '{"id":1,"visible_id":', /is not JSON/],
    ["two values", `${good(5)} ${good(6)}`, /is not JSON/],
    ["an array", "[1]", /expected an object/],
    ["a number", "7", /expected an object/],
    ["no id", changed(1, { id: undefined }), /id: is missing/],
    ["a string as id", changed(1, { id: "1" }), /id: expected an integer, got "1"/],
    [
      "an id beyond exact numbers",
      changed(1, {}).replace('"id":1', '"id":9007199254740993'),
      /id: expected an integer/,
    ],
    [
      "a string as site",
      changed(1, { site_id: "twelve" }),
      /site_id: expected an integer, got a string of 6 characters/,
    ],
    ["a date that does not exist", changed(1, { created_at: "2025-02-30T00:00:00Z" }), /created_at: .*2025-02-30/],
    ["an invalid geometry", changed(1, { geometry: { type: "Blob" } }), /geometry: expected a GeoJSON geometry/],
    ["a repeated id", good(2), /id 2 repeats line 1/],
    [
      "a million levels",
      withStatus(1, `${"[".repeat(1e6)}${"]".repeat(1e6)}`),
      /STATUS is nested deeper than 500 levels/,
    ],
    ["open brackets without end", "[".repeat(2e6), /is nested deeper than 500 levels/],
    ["a long record", withStatus(1, JSON.stringify("x".repeat(9 << 20))), /has 94\d{5} bytes; the maximum is 8388608/],
    ["long characters", withStatus(1, JSON.stringify("ä€😀".repeat(1 << 20))), /has 94\d{5} bytes/],
    ["a long line of zeros", Buffer.alloc(20 << 20, 0), /has 20971520 bytes/],
    ["bytes that are not UTF-8", Buffer.from([0x22, 0xff, 0x22]), /is not valid UTF-8/],
  ])("refuses %s with file, line and reason, or skips it", async (_, line, reason) => {
    const content = Buffer.concat([Buffer.from(`${good(2)}\n\n`), Buffer.from(line), Buffer.from(`\n${good(3)}`)]);
    const dir = inputFolder({ "layer_features.ndjson": content });
    const path = newPath();
    const refused = importNdjson(dir, path);
    await expect(refused).rejects.toThrow(reason);
    await expect(refused).rejects.toMatchObject({
      name: "SnapshotError",
      message: expect.stringContaining("layer_features.ndjson:3: "),
      facts: { line: 3, resource: "layerFeatures" },
    });

    const { skipped } = await importNdjson(dir, path, { skipBad: true });
    expect(skipped).toEqual([
      {
        resource: "layerFeatures",
        path: join(dir, "layer_features.ndjson"),
        line: 3,
        reason: expect.stringMatching(reason),
      },
    ]);
    expect(await readAll(path, "layerFeatures", site1)).toBe(`[${good(2)},${good(3)}]`);
  });

  it("keeps a line without end out of memory", async () => {
    const dir = inputFolder({});
    const file = openSync(join(dir, "layer_features.ndjson"), "w");
    writeSync(file, `${good(1)}\n`);
    // A hole in the file takes no room on the disk.
    ftruncateSync(file, 1.5 * 1024 ** 3);
    closeSync(file);
    const before = process.memoryUsage().rss;
    let peak = 0;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 10);
    const { skipped } = await importNdjson(dir, newPath(), { skipBad: true });
    clearInterval(watch);
    expect(skipped).toMatchObject([{ line: 2, reason: expect.stringContaining("has 1610") }]);
    expect(peak - before).toBeLessThan(400e6);
  });

  it("reports that records are too large if they do not fit into memory", async () => {
    const long = (id: number) => withStatus(id, JSON.stringify("x".repeat(8_380_000)));
    const lines = Array.from({ length: 24 }, (_, id) => `${long(id + 1)}\n`);
    const one = inputFolder({ "layer_features.ndjson": lines[0] ?? "" });
    const { files } = (await importNdjson(one, newPath())).manifest;
    expect(files.reduce((sum, { rows }) => sum + rows, 0)).toBe(1);
    const many = importNdjson(inputFolder({ "layer_features.ndjson": lines.join("") }), newPath());
    await expect(many).rejects.toThrow(SnapshotError);
    await expect(many).rejects.toThrow(/records are too large for the \d+ MB of memory for sorting/);
  });

  it("leaves nothing behind if it fails", async () => {
    const path = newPath();
    await expect(
      importNdjson(inputFolder({ "layer_features.ndjson": good(1), "property_changes.ndjson": "{" }), path),
    ).rejects.toThrow(SnapshotError);
    expect(existsSync(path)).toBe(false);
  });

  it("does not quote person data", async () => {
    const operation = { id: 1, site_id: 1, contact_name: { first: "Ada" } };
    const dir = inputFolder({ "operations.ndjson": `${JSON.stringify(operation)}\n{"contact_name":"Ada" "id":1}` });
    const { skipped } = await importNdjson(dir, newPath(), { skipBad: true });
    expect(skipped).toHaveLength(2);
    expect(JSON.stringify(skipped)).not.toContain("Ada");
  });

  it("accepts carriage returns, a byte order mark, and missing or empty files", async () => {
    const path = newPath();
    const dir = inputFolder({ "layer_features.ndjson": `\ufeff${good(1)}\r\n${good(2)}\r\n`, "sites.ndjson": "" });
    await importNdjson(dir, path);
    expect(await readAll(path, "layerFeatures", site1)).toBe(`[${good(1)},${good(2)}]`);
    expect(await readAll(path, "sites", new Map())).toBe("[]");
  });

  it("refuses a folder without any of the files", async () => {
    await expect(importNdjson(inputFolder({ "notes.txt": "" }), newPath())).rejects.toThrow(/has no NDJSON files/);
    await expect(importNdjson(join(folder, "nowhere"), newPath())).rejects.toThrow(/nowhere has no NDJSON files/);
  });

  it("reports progress", async () => {
    const seen: unknown[] = [];
    const dir = inputFolder({ "layer_features.ndjson": `${good(1)}\n${good(2)}\n` });
    await importNdjson(dir, newPath(), { onProgress: (progress) => seen.push(progress) });
    expect(seen).toContainEqual({ resource: "layerFeatures", rows: 2 });
  });
});
