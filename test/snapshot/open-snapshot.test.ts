import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { displaySymbol } from "../../src/display/display-symbol.js";
import { connect, openSnapshot, type Source } from "../../src/index.js";
import { sampleCompany } from "../../src/sample/sample-company.js";
import { startService } from "../../src/service/start-service.js";
import { openStore } from "../../src/snapshot/open-store.js";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.js";
import { sameAnswers } from "./same-answers.js";
import { temporaryFolder } from "./temporary-folder.js";

const path = join(temporaryFolder(), "sample.snapshot");
let live: Source;
let offline: Source;
let stop: () => Promise<void>;

beforeAll(async () => {
  const company = sampleCompany({ features: 1000 });
  await writeSnapshot(path, {
    ...company,
    layerFeatures: company.layerFeatures(),
    propertyChanges: company.propertyChanges(),
  });
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
    const caption = `${path}, generation 1, read ${layer.readAt.toISOString()}`;
    expect(Object.values(layer[displaySymbol]()).join()).toContain(caption);
    expect(Object.values(history[displaySymbol]()).join()).toContain(caption);
  });

  it("serves many readers at once and ends with close", async () => {
    const readers = await Promise.all(Array.from({ length: 8 }, () => openSnapshot(path)));
    const counts = await Promise.all(readers.map(async (reader) => (await reader.layer({ site_id: 1 })).rowCount));
    expect(new Set(counts).size).toBe(1);
    await Promise.all(readers.map((reader) => reader.close()));
    await expect(readers[0]?.sites()).rejects.toThrow();
  });

  it("replaces person data on request, the same in every run", async () => {
    const [plain, first, again] = await Promise.all(
      [false, true, true].map(async (redact) => (await offline.operations({}, { redact })).array("contact_name")),
    );
    expect(first).toEqual(again);
    expect(first).not.toEqual(plain);
  });
});
