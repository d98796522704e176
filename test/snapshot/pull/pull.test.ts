import { mkdirSync, readdirSync, readFileSync, readlinkSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { connect, type PullOptions, pull, type Source } from "../../../src/index.js";
import { readGeneration } from "../../../src/snapshot/folder/manifest-file.js";
import { change, dataset, definition, feature, uuid } from "../../support/records.js";
import { type Company, type MovingService, movingService, site } from "../moving-service.js";
import { openedSnapshot } from "../opened-snapshot.js";
import { temporaryFolder, temporaryPaths } from "../temporary-folder.js";
import { stopAt } from "./stop-at.js";

const folder = temporaryFolder();
const SEVERITY = uuid(1, "aaaaaaaa");
const newPath = temporaryPaths(folder);

function company(): Company {
  const features = Array.from({ length: 900 }, (_, index) =>
    feature(index + 1, { site_id: 1 + (index % 3), properties: { STATUS: "OPEN", [SEVERITY]: index % 4 } }),
  );
  return {
    sites: [site(1), site(2), site(3)],
    datasets: [dataset(1, { site_id: 1 })],
    propertyDefinitions: [definition(SEVERITY, "Severity", { type: "FLOAT" })],
    layerFeatures: features,
    propertyChanges: features.flatMap(({ id }) => [0, 1].map((n) => change(2 * id + n, { layer_feature_id: id }))),
  };
}

describe("pull", () => {
  let service: MovingService;
  let source: Source;
  let path = "";
  let state: Company;
  let log: string[] = [];
  const onRequest: PullOptions["onRequest"] = ({ url }) => log.push(url);
  const logRequests = () => log.filter((url) => url.includes("/propertyChanges")).length;
  const again = (options: PullOptions = {}) => {
    log = [];
    return pull(source, path, { onRequest, ...options });
  };

  beforeAll(async () => {
    service = await movingService(folder, company());
    source = connect({ baseUrl: service.url, apiKey: "k" });
    return async () => {
      await source.close();
      await service.close();
    };
  });
  beforeEach(async () => {
    path = newPath();
    state = company();
    await service.show(state);
    await again();
  });

  const statusesOf = async (from: Source) => {
    const layer = await from.layer({ site_id: [1, 2, 3] });
    const history = await layer.history({ gone: "exclude" });
    return { rows: layer.table.objects(), changes: history.changes().objects(), columns: layer.table.columnNames() };
  };
  const statuses = async (generation?: number) =>
    statusesOf(await openedSnapshot(path, generation === undefined ? {} : { generation }));
  const liveStatuses = () => statusesOf(source);
  const edit = (id: number, n: number, value: string) => {
    state.layerFeatures = state.layerFeatures.map((one) =>
      one.id === id
        ? { ...one, properties: { ...one.properties, STATUS: value }, updated_at: "2025-02-02T00:00:00Z" }
        : one,
    );
    state.propertyChanges.push(change(n, { layer_feature_id: id, new_value: value }));
  };

  it("reports new, changed, gone and returned features, and keeps the earlier generation", async () => {
    const before = await statuses();
    edit(5, 5000, "CLOSED");
    state.layerFeatures = state.layerFeatures.filter(({ id }) => id !== 7 && id !== 8);
    state.layerFeatures.push(feature(1000, { site_id: 2 }));
    state.propertyChanges.push(change(5001, { layer_feature_id: 1000 }));
    state.propertyDefinitions.splice(0, 1, definition(SEVERITY, "Grade", { type: "FLOAT" }));
    await service.show(state);
    const report = await again();
    expect(report.features).toEqual({ added: [1000], changed: [5], gone: [7, 8], returned: [] });
    expect(report.found.property_changes).toBe(2);
    expect(await statuses()).toEqual(await liveStatuses());
    expect((await statuses()).columns).toContain("Grade");
    expect(await statuses(1)).toEqual(before);
    expect(before.columns).toContain("Severity");
    const snapshot = await openedSnapshot(path);
    const gone = await snapshot.sql("SELECT DISTINCT epoch_us(gone_at)::DOUBLE AS us FROM gone_features");
    expect(gone.array("us")).toEqual([Date.parse((await readGeneration(path)).read_at) * 1000]);

    const back = company().layerFeatures.filter(({ id }) => id === 7);
    state.layerFeatures.push(...back);
    await service.show(state);
    expect((await again()).features).toEqual({ added: [], changed: [], gone: [], returned: [7] });
    expect(await statuses()).toEqual(await liveStatuses());
    expect(await statuses(1)).toEqual(before);
  });

  it("prints only the first ids of its report", async () => {
    const report = await pull(source, newPath());
    expect(report.features.added).toHaveLength(900);
    expect(inspect(report)).toContain("added: [ 1, 2, 3, ... 897 more items ]");
    expect(inspect(report)).toContain("generation: 1");
  });

  it("requests only the log of edited features and an audit share", async () => {
    const full = logRequests();
    edit(5, 5000, "CLOSED");
    await service.show(state);
    await again();
    expect(full).toBe(5);
    expect(logRequests()).toBe(2);
    expect(await statuses()).toEqual(await liveStatuses());
  });

  it("finds edits that left `updated_at` unchanged, and then requests the whole log", async () => {
    for (const id of [1, 2, 3, 450, 451, 900]) {
      state.propertyChanges.push(change(5000 + id, { layer_feature_id: id, new_value: "OPEN" }));
    }
    await service.show(state);
    for (let pulls = 0; pulls < 5; pulls++) await again();
    expect(await statuses()).toEqual(await liveStatuses());
    await again({ fullLog: true });
    expect(logRequests()).toBe(5);
  });

  it("reads a log again if it has a new row before its last", async () => {
    state.propertyChanges.push(change(1, { layer_feature_id: 6, new_value: "EARLIER" }));
    edit(6, 5000, "CLOSED");
    await service.show(state);
    await again();
    expect(await statuses()).toEqual(await liveStatuses());
    const counts = "SELECT count(*)::INTEGER AS rows, count(DISTINCT id)::INTEGER AS ids FROM property_changes";
    const stored = (await (await openedSnapshot(path)).sql(counts)).objects();
    expect(stored).toEqual([{ rows: state.propertyChanges.length, ids: state.propertyChanges.length }]);
  });

  it("keeps files that did not change", async () => {
    const names = async () => {
      const { files } = await readGeneration(path);
      return files.filter(({ resource }) => resource === "layerFeatures").map((file) => file.path);
    };
    const before = await names();
    edit(4, 5000, "CLOSED");
    await service.show(state);
    await again();
    const after = await names();
    expect(after).toHaveLength(before.length);
    expect(after.filter((name) => !before.includes(name))).toHaveLength(1);
    expect(after.find((name) => !before.includes(name))).toContain("site_id=1");
  });

  it("stops if the key sees less, unless that is allowed", async () => {
    const limited = connect({ baseUrl: service.url, apiKey: "one" });
    const before = readFileSync(join(path, "manifest.json"), "utf8");
    await expect(pull(limited, path)).rejects.toThrow(
      /2 of the sites \(2, 3\) and 600 of 900 .* missing in the service/,
    );
    expect(readFileSync(join(path, "manifest.json"), "utf8")).toBe(before);
    const report = await pull(limited, path, { allowShrink: true });
    expect(report.resumed).toBe(true);
    expect(report.found.gone).toBe(600);
    await limited.close();
    const returned = await again();
    expect(returned.found).toMatchObject({ added: 0, gone: 0, returned: 600 });
    expect(await statuses()).toEqual(await liveStatuses());
  });

  it("does not resume a pull that replaced person data, without doing so", async () => {
    const connected = (redact: boolean) => connect({ baseUrl: service.url, apiKey: "one", redact });
    const [redacted, plain] = [connected(true), connected(false)];
    const rewrite = { rewrite: true };
    for (const stopped of [redacted, plain])
      await expect(pull(stopped, path, rewrite)).rejects.toThrow(/missing in the service/);
    expect(await pull(redacted, path, { ...rewrite, allowShrink: true })).toMatchObject({ resumed: false });
    await Promise.all([redacted.close(), plain.close()]);
  });

  it("refuses another address, scope or folder", async () => {
    const other = connect({ baseUrl: "http://127.0.0.1:9", apiKey: "k", retries: 0 });
    await expect(pull(other, path)).rejects.toThrow(/has data of http.* not of http:\/\/127.0.0.1:9/);
    await expect(pull(source, path, { site_id: 1 })).rejects.toThrow(/has all sites, not only 1/);
    const foreign = newPath();
    mkdirSync(foreign);
    writeFileSync(join(foreign, "letter.txt"), "");
    await expect(pull(source, foreign)).rejects.toThrow(/is not a snapshot and not empty/);
  });

  it("leaves nothing behind if the first pull reads nothing", async () => {
    const nowhere = connect({ baseUrl: "http://127.0.0.1:9", apiKey: "k", retries: 0 });
    await expect(pull(nowhere, join(folder, "new", "folder", "acme.snapshot"))).rejects.toThrow();
    expect(readdirSync(folder)).not.toContain("new");
    mkdirSync(join(folder, "empty"));
    await expect(pull(nowhere, join(folder, "empty"))).rejects.toThrow();
    expect(readdirSync(join(folder, "empty"))).toEqual([]);
    await nowhere.close();
  });

  it("follows a service that has moved, if that is allowed", async () => {
    const moved = await movingService(folder, company());
    const there = connect({ baseUrl: moved.url, apiKey: "k" });
    try {
      edit(4, 5000, "CLOSED");
      await moved.show(state);
      await expect(pull(there, path)).rejects.toMatchObject({ hint: expect.stringContaining("--allow-move") });
      const report = await pull(there, path, { allowMove: true });
      expect(report).toMatchObject({ generation: 2, found: { added: 0, changed: 1, gone: 0 } });
      expect((await readGeneration(path)).origin.name).toBe(there.origin.name);
    } finally {
      await there.close();
      await moved.close();
    }
  });

  it("limits itself to sites", async () => {
    path = newPath();
    const report = await again({ site_id: [2] });
    expect(report.rows).toMatchObject({ sites: 1, layerFeatures: 300, propertyChanges: 600 });
    expect((await again()).found.gone).toBe(0);
  });

  it("resumes after an interruption without reading complete parts again", async () => {
    path = newPath();
    for (let request = 3; ; request += 3) {
      const { signal, onRequest: count } = stopAt(request);
      log = [];
      const onStop: PullOptions["onRequest"] = (sent) => {
        log.push(sent.url);
        count?.(sent);
      };
      const error = await pull(source, path, { onRequest: onStop, signal, concurrency: 1 }).then(
        () => undefined,
        (thrown: Error) => thrown,
      );
      if (!error) break;
      expect(error.message).toBe("lost");
      expect(request).toBeLessThan(40);
    }
    expect(log.length).toBeLessThan(12);
    expect(await statuses()).toEqual(await liveStatuses());
  });

  it("has the time of its first record, not of a failed attempt", async () => {
    path = newPath();
    const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 12, minute));
    for (const [minute, request] of [1, 4, 1].entries()) {
      const stopped = pull(source, path, { ...stopAt(request), concurrency: 1, now: () => at(minute) });
      await expect(stopped).rejects.toThrow("lost");
    }
    await pull(source, path, { now: () => at(3) });
    expect((await readGeneration(path)).read_at).toBe(at(1).toISOString());
  });

  it("has no step that ends before it begins if the clock goes back", async () => {
    let clock = Date.UTC(2026, 0, 1);
    const now = () => {
      clock -= 3_600_000;
      return new Date(clock);
    };
    edit(4, 5000, "CLOSED");
    await service.show(state);
    await again({ now });
    const { read_at, written_at, read_times = {} } = await readGeneration(path);
    for (const { from, to } of Object.values(read_times)) {
      expect(Date.parse(to)).toBeGreaterThanOrEqual(Date.parse(from));
      expect(Date.parse(from)).toBeGreaterThanOrEqual(Date.parse(read_at));
      expect(Date.parse(to)).toBeLessThanOrEqual(Date.parse(written_at));
    }
    expect(await statuses()).toEqual(await liveStatuses());
  });

  it("requests the whole log after a pull with a clock ahead", async () => {
    await again({ now: () => new Date("2040-01-01") });
    // The edit is later in the log than `updated_at` of the feature.
    state.propertyChanges.push(change(5000, { layer_feature_id: 1, new_value: "OPEN" }));
    await service.show(state);
    expect((await again()).found.property_changes).toBe(1);
    expect(await statuses()).toEqual(await liveStatuses());
  });

  it("names the holder of the lock, and breaks the lock of an ended process", async () => {
    let second: Promise<unknown> = Promise.resolve();
    const startSecond = () => {
      const message = `is locked by process ${process.pid} on ${hostname()}`;
      second = expect(pull(source, path)).rejects.toThrow(message);
    };
    // The first pull holds the lock at its first request, and has more of them to send.
    await again({ onRequest: () => log.push("request") === 1 && startSecond() });
    await second;
    writeFileSync(join(path, ".lock"), JSON.stringify({ ...dead, namespace: "another machine" }));
    await expect(again()).rejects.toThrow(/process 999999999 on elsewhere since 2025-01-01/);
    writeFileSync(join(path, ".lock"), JSON.stringify(dead));
    await expect(again()).resolves.toMatchObject({ generation: 3 });
  });

  it("watches a lock without a holder", async () => {
    writeFileSync(join(path, ".lock"), "");
    await expect(again()).rejects.toThrow(/is locked by process 0 on an unknown host/);
    utimesSync(join(path, ".lock"), longAgo, longAgo);
    await expect(again()).resolves.toMatchObject({ generation: 2 });
  });

  it("removes the files of killed processes only", async () => {
    mkdirSync(join(path, ".unfinished-1"));
    writeFileSync(join(path, ".unfinished-1", "stage.duckdb"), "");
    writeFileSync(join(path, ".unfinished-2"), "{");
    writeFileSync(join(path, ".lock-dead"), JSON.stringify(dead));
    writeFileSync(join(path, ".lock-living"), JSON.stringify({ ...dead, pid: process.pid }));
    writeFileSync(join(path, ".lock-new"), "");
    writeFileSync(join(path, ".lock-old"), "");
    utimesSync(join(path, ".lock-old"), longAgo, longAgo);
    await again();
    const hidden = readdirSync(path).filter((name) => name.startsWith("."));
    expect(hidden.sort()).toEqual([".lock-living", ".lock-new"]);
  });

  it("keeps the generation of open readers", async () => {
    const reader = await openedSnapshot(path);
    const expected = (await reader.layer({ site_id: 1 })).table.objects();
    for (const n of [1, 2, 3]) {
      edit(4, 5000 + n, `S${n}`);
      await service.show(state);
      await again();
      expect((await reader.layer({ site_id: 1 })).table.objects()).toEqual(expected);
    }
    // Parquet files are first opened now.
    const edited = await reader.sql(
      "SELECT id FROM layer_features WHERE json_extract_string(record, '$.properties.STATUS') <> 'OPEN'",
    );
    expect(edited.numRows()).toBe(0);
  });
});

const longAgo = new Date(Date.now() - 3_600_000);

/** A holder of a lock that has ended. */
const dead = { pid: 999_999_999, host: "elsewhere", namespace: namespace(), since: "2025-01-01", token: "t" };

/** The namespace of this process, as in a lock. */
function namespace(): string {
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  return `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
}
