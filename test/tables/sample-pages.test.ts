import { deepStrictEqual } from "node:assert";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SampleService, startSampleService } from "../support/sample-service.js";
import { readRecords } from "./read-records.js";

let service: SampleService;
beforeAll(async () => {
  service = await startSampleService(3000);
});
afterAll(() => service.close());

interface Page {
  readonly data: readonly { readonly id: number }[];
  readonly pagination: { readonly pageCount: number };
}

async function pageBytes(path: string): Promise<Uint8Array> {
  const response = await fetch(`${service.url}${path}`, { headers: { authorization: `ApiKey ${service.apiKey}` } });
  return new Uint8Array(await response.arrayBuffer());
}

const parse = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes)) as Page;

async function everyPage(path: string): Promise<Uint8Array[]> {
  const pages = [await pageBytes(`${path}&_page=1`)];
  const [first] = pages.map(parse);
  for (let page = 2; page <= (first?.pagination.pageCount ?? 0); page += 1) {
    pages.push(await pageBytes(`${path}&_page=${page}`));
  }
  return pages;
}

function compare(resource: "layerFeatures" | "propertyChanges", pages: readonly Uint8Array[]): number {
  const records = readRecords(resource, pages);
  deepStrictEqual(
    records,
    pages.flatMap((bytes) => [...parse(bytes).data]),
  );
  return records.length;
}

describe("every page of the sample company", () => {
  let ids: readonly number[] = [];

  it("of layer features is read as JSON.parse reads it", async () => {
    const sites = (await everyPage("/sites?_pageSize=100")).flatMap((bytes) => parse(bytes).data);
    const scope = sites.map(({ id }) => `site_id=${id}`).join("&");
    const pages = await everyPage(`/layerFeatures?${scope}&_pageSize=500`);
    ids = pages.flatMap((bytes) => parse(bytes).data.map(({ id }) => id));
    expect(compare("layerFeatures", pages)).toBeGreaterThan(2900);
  });

  it("of property changes is read as JSON.parse reads it", async () => {
    const pages: Uint8Array[] = [];
    for (let start = 0; start < ids.length; start += 200) {
      const chunk = ids.slice(start, start + 200).map((id) => `layer_feature_id=${id}`);
      pages.push(...(await everyPage(`/propertyChanges?${chunk.join("&")}&_pageSize=1000`)));
    }
    expect(compare("propertyChanges", pages)).toBeGreaterThan(20_000);
  });
});
