import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ResourceName } from "../../src/api/resources.js";
import { ArgumentError } from "../../src/core/errors.js";
import { openSnapshot } from "../../src/snapshot/open-snapshot.js";
import { pull } from "../../src/snapshot/pull.js";
import { connect } from "../../src/source/connect.js";
import { fromRecords } from "../../src/source/from-records.js";
import type { Source } from "../../src/source/source.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { dataset } from "../support/records.js";

const folder = temporaryFolder();
const sources = new Map<string, Source>();
const kinds = ["live", "memory", "snapshot"];

beforeAll(async () => {
  const memory = fromRecords({ datasets: [dataset(1)] });
  await pull(memory, folder);
  sources.set("memory", memory);
  sources.set("snapshot", await openSnapshot(folder));
  sources.set("live", connect({ baseUrl: "http://127.0.0.1:9", apiKey: "k" }));
});

afterAll(async () => {
  for (const source of sources.values()) await source.close();
});

function sourceOf(kind: string): Source {
  const source = sources.get(kind);
  if (!source) throw new Error(`no source ${kind}`);
  return source;
}

async function firstOf(rows: () => AsyncIterable<unknown>): Promise<unknown> {
  for await (const row of rows()) return row;
  return undefined;
}

describe.each(kinds)("a name that is no resource, asked of a source (%s)", (kind) => {
  const named = (name: unknown) => name as ResourceName;

  it("is an error that lists the resources", async () => {
    for (const name of ["no_such_resource", "toString", "__proto__", undefined, 7]) {
      const records = firstOf(() => sourceOf(kind).records(named(name), {} as never));
      await expect(records).rejects.toThrow(ArgumentError);
      await expect(records).rejects.toMatchObject({
        message: expect.stringContaining(typeof name === "string" ? name : String(name)),
        hint: "The resources are: sites, operations, blocks, datasets, layerFeatures, propertyDefinitions, propertyChanges.",
      });
      const pages = firstOf(() => sourceOf(kind).pages(named(name), {} as never));
      await expect(pages).rejects.toThrow(ArgumentError);
    }
  });

  it("says which one was probably meant", async () => {
    await expect(firstOf(() => sourceOf(kind).records(named("layer_features"), {} as never))).rejects.toMatchObject({
      message: 'There is no resource "layer_features".',
      hint: expect.stringMatching(/^Did you mean "layerFeatures"\? The resources are: /),
      facts: { resource: "layer_features" },
    });
  });
});

describe("a name that is no resource among records", () => {
  it("is an error", () => {
    const records = { site: [] } as object;
    expect(() => fromRecords(records)).toThrow(ArgumentError);
    expect(() => fromRecords(records)).toThrow('There is no resource "site".');
  });
});
