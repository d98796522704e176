import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import type { ResourceName } from "../../src/api/resources.js";
import { ArgumentError } from "../../src/core/errors.js";
import { provenanceOf } from "../../src/core/provenance.js";
import { openSnapshot } from "../../src/snapshot/open-snapshot.js";
import { pull } from "../../src/snapshot/pull.js";
import { connect } from "../../src/source/connect.js";
import { fromRecords } from "../../src/source/from-records.js";
import type { Source } from "../../src/source/source.js";
import { toMimeBundle } from "../../src/tables/display/to-mime-bundle.js";
import { site } from "../snapshot/moving-service.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { dataset } from "../support/records.js";
import { everySource, openEverySource } from "./every-source.js";

const folder = temporaryFolder();
const source = openEverySource(folder, { sites: [site(12)], datasets: [dataset(1)] });

async function firstOf(rows: () => AsyncIterable<unknown>): Promise<unknown> {
  for await (const row of rows()) return row;
  return undefined;
}

/** The error that a call throws or rejects with. */
const errorOf = (call: () => unknown) =>
  Promise.resolve()
    .then(call)
    .catch((thrown: unknown) => thrown);

describe("a printed source", () => {
  it("has its kind and origin, and no key", async () => {
    const live = connect({ baseUrl: "https://api.example.com/v1", apiKey: "sesame" });
    expect(inspect(live, { depth: 9, showHidden: true })).toBe("Source: https://api.example.com/v1");
    expect(await toMimeBundle(live)).toEqual({ "text/plain": "Source: https://api.example.com/v1" });
    await live.close();
    const path = join(folder, "printed.snapshot");
    await pull(fromRecords({ sites: [site(12)] }), path);
    const snapshot = await openSnapshot(path);
    expect(inspect(snapshot)).toBe(`Snapshot: ${path}, generation 1`);
    await snapshot.close();
  });
});

describe.each(everySource)("an unknown resource of a %s source", (kind) => {
  const named = (name: unknown) => name as ResourceName;

  it("causes an error that lists the resources", async () => {
    for (const name of ["no_such_resource", "toString", "__proto__", undefined, 7]) {
      const records = firstOf(() => source(kind).records(named(name), {} as never));
      await expect(records).rejects.toThrow(ArgumentError);
      await expect(records).rejects.toMatchObject({
        message: expect.stringContaining(typeof name === "string" ? name : String(name)),
        hint: "Resources: sites, operations, blocks, datasets, layerFeatures, propertyDefinitions, propertyChanges.",
      });
      const pages = firstOf(() => source(kind).pages(named(name), {} as never));
      await expect(pages).rejects.toThrow(ArgumentError);
    }
  });

  it("suggests the resource of a similar name", async () => {
    await expect(firstOf(() => source(kind).records(named("layer_features"), {} as never))).rejects.toMatchObject({
      message: 'Unknown resource: "layer_features".',
      hint: expect.stringMatching(/^Did you mean "layerFeatures"\? Resources: /),
      facts: { resource: "layer_features" },
    });
  });
});

it("fromRecords() refuses an unknown resource", () => {
  const records = { site: [] } as object;
  expect(() => fromRecords(records)).toThrow(ArgumentError);
  expect(() => fromRecords(records)).toThrow('Unknown resource: "site".');
});

describe("mistyped options", () => {
  it.each<[string, (source: Source) => unknown, string]>([
    ["layer", (source) => source.layer({ site_id: 1 }, { optionLabel: true } as object), "Did you mean optionLabels?"],
    [
      "layer",
      (source) => source.layer({ site_id: 1 }, { duplicateNames: "suffx" } as object),
      'got "suffx". Did you mean "suffix"?',
    ],
    ["sites", (source) => source.sites({}, { pagesize: 2 } as object), "Did you mean pageSize?"],
    ["history", (source) => source.history({ site_id: 1 }, { timezone: "UTC" } as object), "Did you mean timeZone?"],
    ["history", (source) => source.history({ site_id: 1 }, { columns: "STATUS" } as object), "an array of strings"],
    ["records", (source) => firstOf(() => source.records("sites", {}, { strikt: false } as object)), "mean strict?"],
    [
      "pages",
      (source) => firstOf(() => source.pages("sites", {}, { retries: -1 })),
      "an integer of at least 0, but got -1",
    ],
  ])("are refused by %s() of every source", async (_, ask, message) => {
    for (const kind of everySource) {
      const error = await errorOf(() => ask(source(kind)));
      expect(error).toBeInstanceOf(ArgumentError);
      expect(String(error)).toContain(message);
    }
  });

  it("are refused by calls that open a source, without the key in the error", async () => {
    const connected = await errorOf(() => connect({ apikey: "s3cret", baseURL: "http://127.0.0.1:9" } as object));
    expect(String(connected)).toContain('connect() has no option "apikey". Did you mean apiKey?');
    expect(JSON.stringify(connected)).not.toContain("s3cret");
    expect(String(await errorOf(() => connect({ baseURL: "http://127.0.0.1:9" } as object)))).toContain(
      "mean baseUrl?",
    );
    expect(String(await errorOf(() => fromRecords({}, { readat: new Date() } as object)))).toContain("mean readAt?");
    expect(String(await errorOf(() => openSnapshot(folder, { generaton: 1 } as object)))).toContain("mean generation?");
    expect(String(await errorOf(() => pull(source("memory"), folder, { fulllog: true } as object)))).toContain(
      "fullLog?",
    );
  });

  it("do not include the options of a layer in history()", async () => {
    const options = { duplicateNames: "suffix", optionLabels: true, timeZone: "Europe/Berlin", pageSize: 5 } as const;
    expect((await source("memory").history({ site_id: 1 }, options)).timeZone).toBe("Europe/Berlin");
    const layer = await source("memory").layer({ site_id: 1 });
    await expect(layer.history({ column: ["STATUS"] } as object)).rejects.toThrow(/has no option "column"/);
  });
});

it("a live source has no provenance to show", async () => {
  const { table } = await source("live").layer({ site_id: 12 });
  expect(provenanceOf(source("live"))).toBeUndefined();
  expect((await toMimeBundle(table))["text/plain"]).not.toContain("read ");
});
