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

describe("slips in the options of a source", () => {
  it.each<[string, (source: Source) => unknown, string]>([
    ["layer", (source) => source.layer({ site_id: 1 }, { optionLabel: true } as object), "Did you mean optionLabels?"],
    [
      "layer",
      (source) => source.layer({ site_id: 1 }, { duplicateNames: "suffx" } as object),
      'got "suffx". Did you mean "suffix"?',
    ],
    ["sites", (source) => source.sites({}, { pagesize: 2 } as object), "Did you mean pageSize?"],
    ["history", (source) => source.history({ site_id: 1 }, { timezone: "UTC" } as object), "Did you mean timeZone?"],
    ["history", (source) => source.history({ site_id: 1 }, { columns: "STATUS" } as object), "an array of texts"],
    ["records", (source) => firstOf(() => source.records("sites", {}, { strikt: false } as object)), "mean strict?"],
    ["pages", (source) => firstOf(() => source.pages("sites", {}, { retries: -1 })), "an integer from 0, but got -1"],
  ])("%s() of every source refuses them", async (_, ask, said) => {
    for (const kind of kinds) {
      const error = await Promise.resolve()
        .then(() => ask(sourceOf(kind)))
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ArgumentError);
      expect(String(error)).toContain(said);
    }
  });

  it("what opens a source refuses them, and shows no key", async () => {
    const slip = (open: () => unknown) =>
      Promise.resolve()
        .then(open)
        .catch((thrown: unknown) => thrown);
    const connected = await slip(() => connect({ apikey: "s3cret", baseURL: "http://127.0.0.1:9" } as object));
    expect(String(connected)).toContain('connect() has no option "apikey". Did you mean apiKey?');
    expect(JSON.stringify(connected)).not.toContain("s3cret");
    expect(String(await slip(() => connect({ baseURL: "http://127.0.0.1:9" } as object)))).toContain("mean baseUrl?");
    expect(String(await slip(() => fromRecords({}, { readat: new Date() } as object)))).toContain("mean readAt?");
    expect(String(await slip(() => openSnapshot(folder, { generaton: 1 } as object)))).toContain("mean generation?");
    expect(String(await slip(() => pull(sourceOf("memory"), folder, { fulllog: true } as object)))).toContain(
      "fullLog?",
    );
  });

  it("history() takes the options of a layer, too", async () => {
    const options = { duplicateNames: "suffix", optionLabels: true, timeZone: "Europe/Berlin", pageSize: 5 } as const;
    expect((await sourceOf("memory").history({ site_id: 1 }, options)).timeZone).toBe("Europe/Berlin");
    const layer = await sourceOf("memory").layer({ site_id: 1 });
    await expect(layer.history({ column: ["STATUS"] } as object)).rejects.toThrow(/has no option "column"/);
  });
});
