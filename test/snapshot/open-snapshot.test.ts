import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect, openSnapshot, provenanceOf, type Snapshot, type Source } from "../../src/index.js";
import { startService } from "../../src/service/start-service.js";
import { openStore } from "../../src/snapshot/serve/open-store.js";
import { displaySymbol } from "../../src/tables/display/mime-bundle.js";
import { toMimeBundle } from "../../src/tables/display/to-mime-bundle.js";
import { writeSample } from "../support/asked-sample.js";
import { sameAnswers } from "./same-answers.js";
import { temporaryFolder } from "./temporary-folder.js";

const path = join(temporaryFolder(), "sample.snapshot");
let live: Source;
let offline: Snapshot;
let stop: () => Promise<void>;

beforeAll(async () => {
  await writeSample(path, { features: 1000 });
  const store = await openStore(path);
  const service = await startService({ store, apiKeys: [{ key: "k" }] });
  live = connect({ baseUrl: service.url, apiKey: "k" });
  offline = await openSnapshot(path);
  stop = async () => {
    await service.close();
    await store.close();
  };
});

afterAll(async () => {
  await offline.close();
  await live.close();
  await stop();
});

describe("a snapshot answers like the live API", () => {
  sameAnswers(() => ({ live, offline }));
});

describe("openSnapshot", () => {
  it("says what it opened", async () => {
    expect(offline.origin).toEqual({ kind: "snapshot", name: path, generation: 1 });
    await expect(openSnapshot(path, { generation: 2 })).rejects.toThrow(/holds no generation 2/);
    await expect(openSnapshot(join(path, "none"))).rejects.toThrow(/There is no snapshot/);
  });

  it("shows state and age with what comes from it", async () => {
    const layer = await offline.layer({ site_id: 1 });
    const history = await layer.history();
    const caption = `${path}, generation 1, read ${layer.readAt.toISOString().slice(0, 16).replace("T", " ")} UTC`;
    expect(Object.values(layer[displaySymbol]()).join()).toContain(caption);
    expect(Object.values(history[displaySymbol]()).join()).toContain(caption);
    for (const table of [layer.table.filter("d => d.id > 3"), history.asOf("2025-01-01"), await offline.sites()]) {
      const bundle = await toMimeBundle(table);
      expect(bundle["text/plain"]).toContain(`${path}, generation 1, read `);
      expect(bundle["text/html"]).toContain(`${path}, generation 1, read `);
    }
    expect(await toMimeBundle((await live.layer({ site_id: 1 })).table)).not.toHaveProperty(
      "text/plain",
      expect.stringContaining("read "),
    );
  });

  it("carries its provenance in everything that comes from it", async () => {
    const layer = await offline.layer({ site_id: 1 });
    const history = await layer.history();
    const expected = { origin: offline.origin, generation: 1, readAt: expect.any(Date) };
    const values = [offline, layer, history, layer.describe(), await offline.sql("FROM sites"), await layer.places()];
    for (const value of values) expect(provenanceOf(value)).toEqual(expected);
    expect(provenanceOf(live)).toBeUndefined();
    const { readAt } = await live.layer({ site_id: 1 });
    expect(readAt.getTime()).toBeGreaterThan(layer.readAt.getTime());
  });

  it("serves many readers at once and ends with close", async () => {
    const readers = await Promise.all(Array.from({ length: 8 }, () => openSnapshot(path)));
    const counts = await Promise.all(readers.map(async (reader) => (await reader.layer({ site_id: 1 })).rowCount));
    expect(new Set(counts).size).toBe(1);
    await Promise.all(readers.map((reader) => reader.close()));
    await expect(readers[0]?.sites()).rejects.toThrow();
  });

  it("reads nothing for a signal that has been given", async () => {
    const signal = AbortSignal.abort(new Error("never mind"));
    await expect(offline.sites({}, { signal })).rejects.toThrow("never mind");
    await expect(offline.layer({ site_id: 1 }, { signal })).rejects.toThrow("never mind");
  });

  it("replaces person data on request, the same in every run", async () => {
    const [plain, first, again] = await Promise.all(
      [false, true, true].map(async (redact) => (await offline.operations({}, { redact })).array("contact_name")),
    );
    expect(first).toEqual(again);
    expect(first).not.toEqual(plain);
  });
});
