import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { endpointOf } from "../../../src/api/endpoints.js";
import { SnapshotError } from "../../../src/core/errors.js";
import { startService } from "../../../src/service/start-service.js";
import { openNewestStore, type StoreMove } from "../../../src/snapshot/serve/open-newest-store.js";
import { writeSnapshot } from "../../../src/snapshot/write/write-snapshot.js";
import { change } from "../../support/records.js";
import { feature } from "../feature.js";
import { pruneLater } from "../prune-later.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();
let paths = 0;

function write(path: string, status: string): Promise<unknown> {
  return writeSnapshot(path, {
    layerFeatures: [1, 2, 3].map((id) => feature(id, { STATUS: status })),
    propertyChanges: [1, 2].map((n) => change(n, { layer_feature_id: n, new_value: status })),
  });
}

/** A service over the first generation of a folder, and the statuses in its responses. */
async function served() {
  const path = join(folder, `served-${++paths}.snapshot`);
  await write(path, "first");
  const moves: StoreMove[] = [];
  const errors: unknown[] = [];
  const store = await openNewestStore(path, (move) => moves.push(move));
  const service = await startService({
    store,
    apiKeys: [{ key: "k" }],
    onRequest: ({ error }) => {
      if (error) errors.push(error);
    },
  });
  const ask = async (query: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${service.url}/${query}`, { headers: { authorization: "ApiKey k", ...headers } });
    const text = await answer.text();
    const words = [...new Set(text.match(/first|second|third/g) ?? [])];
    return { status: answer.status, words, tag: answer.headers.get("etag") ?? "" };
  };
  return {
    ...{ path, moves, errors, ask, store },
    close: async () => {
      await service.close();
      await store.close();
    },
  };
}

const sorted = (field: string) => `layerFeatures?site_id=1&_page=1&_sortBy=${field}`;
const CHANGES = "propertyChanges?layer_feature_id=1";

describe("a store that is open while its folder changes", () => {
  it("keeps its generation while the folder has it", async () => {
    const { path, moves, ask, close } = await served();
    await write(path, "second");
    expect(await ask(sorted("properties.STATUS"))).toMatchObject({ status: 200, words: ["first"] });
    expect(await ask(CHANGES)).toMatchObject({ status: 200, words: ["first"] });
    expect(moves).toEqual([]);
    await close();
  });

  it("moves to the newest generation after its own was pruned, and reports it once", async () => {
    const { path, moves, errors, ask, close } = await served();
    const before = await ask(CHANGES);
    await write(path, "second");
    await write(path, "third");
    expect(await pruneLater(path, 1)).toEqual([1, 2]);
    const queries = ["id", "visible_id", "properties.STATUS", "-created_at"].map(sorted);
    const answers = await Promise.all([...queries, CHANGES, CHANGES].map((query) => ask(query)));
    // Pages in a known order still come from the earlier generation.
    for (const { status, words } of answers.slice(1)) expect([status, words]).toEqual([200, ["third"]]);
    expect(answers[0]?.status).toBe(200);
    expect(moves).toEqual([{ from: 1, to: 3 }]);
    expect(errors).toEqual([]);
    const after = await ask(CHANGES, { "if-none-match": before.tag });
    expect(after).toMatchObject({ status: 200, words: ["third"] });
    expect(await ask(CHANGES, { "if-none-match": after.tag })).toMatchObject({ status: 304 });
    expect(await ask(sorted("id"))).toMatchObject({ status: 200, words: ["third"] });
    await write(path, "first");
    await pruneLater(path, 1);
    expect(await ask(sorted("-properties.STATUS"))).toMatchObject({ status: 200, words: ["first"] });
    expect(moves).toEqual([
      { from: 1, to: 3 },
      { from: 3, to: 4 },
    ]);
    await close();
  });

  it("moves to a snapshot that replaced its own", async () => {
    const { path, moves, ask, close } = await served();
    rmSync(path, { recursive: true });
    await write(path, "second");
    expect(await ask(CHANGES)).toMatchObject({ status: 200, words: ["second"] });
    expect(moves).toEqual([{ from: 1, to: 1 }]);
    await close();
  });

  it("names the missing file of its generation", async () => {
    const { path, moves, errors, ask, close } = await served();
    rmSync(join(path, "files", "property_changes"), { recursive: true });
    expect(await ask(CHANGES)).toMatchObject({ status: 500 });
    expect(moves).toEqual([]);
    expect(errors).toEqual([expect.any(SnapshotError)]);
    expect(String(errors[0])).toMatch(/property_changes.*parquet is missing/);
    await close();
  });

  it("closes what it has opened", async () => {
    const { path, ask, close, store } = await served();
    await write(path, "second");
    await pruneLater(path, 1);
    expect(await ask(CHANGES)).toMatchObject({ words: ["second"] });
    await close();
    const query = { filters: new Map(), page: 1, pageSize: 10, sort: [] };
    await expect(store.page(endpointOf("propertyChanges"), query, { siteIds: undefined })).rejects.toThrow();
  });
});
