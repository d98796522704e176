import { get, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sampleCompany } from "../../src/sample/sample-company.js";
import { type Service, startService } from "../../src/service/start-service.js";
import type { SnapshotStore } from "../../src/snapshot/serve/snapshot-store.js";
import { send } from "./client.js";
import { openSnapshotOf } from "./test-service.js";

let store: SnapshotStore;
let service: Service;

beforeAll(async () => {
  const company = sampleCompany({ features: 20_000 });
  store = await openSnapshotOf({ ...company, layerFeatures: [...company.layerFeatures()], propertyChanges: [] });
  service = await startService({ store, apiKeys: [{ key: "all" }] });
});

afterAll(async () => {
  await service.close();
  await store.close();
});

const sites = () => sampleCompany({ features: 20_000 }).sites.map(({ id }) => `site_id=${id}`);
const pageTarget = (page: number) =>
  `/layerFeatures?${[...sites(), "site_id[]="].join("&")}&_page=${page}&_pageSize=8000`;

function begin(page: number): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: "ApiKey all" };
    get({ port: service.port, path: pageTarget(page), headers, agent: false }, resolve).on("error", reject);
  });
}

it("does not write a page over one that a slow client still reads", async () => {
  const pageAgain = async (page: number) => (await send(service, pageTarget(page))).body;
  const [first, second] = [await pageAgain(1), await pageAgain(2)];
  expect(first.length).toBeGreaterThan(4_000_000);
  const slow = await begin(1);
  const leaving = await begin(1);
  for (let time = 0; time < 4; time++) expect((await pageAgain(2)).equals(second)).toBe(true);
  leaving.destroy();
  for (let time = 0; time < 4; time++) expect((await pageAgain(2)).equals(second)).toBe(true);
  expect((await buffer(slow)).equals(first)).toBe(true);
});
