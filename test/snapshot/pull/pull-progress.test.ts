import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fromRecords, pull } from "../../../src/index.js";
import { pullProgressText } from "../../../src/snapshot/pull/pull-progress.js";
import { Source } from "../../../src/source/source.js";
import { change, feature } from "../../support/records.js";
import { site } from "../moving-service.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();
const features = Array.from({ length: 300 }, (_, index) => feature(index + 1));
const records = { sites: [site(12)], layerFeatures: features, propertyChanges: [change(1), change(2)] };

/** A slow source, so that progress is shown. */
function slowSource(fails = false): Source {
  const { reader } = fromRecords(records);
  return new Source({
    origin: reader.origin,
    async *records(...asked) {
      await delay(600);
      yield* reader.records(...asked);
    },
    async all(...asked) {
      if (fails) throw new Error("the log is gone");
      await delay(300);
      return reader.all(...asked);
    },
    pages: (...asked) => reader.pages(...asked),
  });
}

interface Shown {
  readonly text: string;
  readonly html: string;
  readonly id: string;
  readonly update: boolean;
}

describe("a pull in a notebook", () => {
  let shown: Shown[];
  beforeEach(() => {
    shown = [];
    Reflect.set(globalThis, "display", (value: object, { id, update }: Omit<Shown, "text" | "html">) => {
      const bundle = Reflect.get(value, Symbol.for("Jupyter.display"))();
      shown.push({ text: bundle["text/plain"], html: bundle["text/html"], id, update });
    });
  });
  afterEach(() => Reflect.deleteProperty(globalThis, "display"));

  it("shows the table and the number of rows, and at the end what it wrote", async () => {
    await pull(slowSource(), join(folder, "slow"));
    expect(shown[0]).toMatchObject({ update: false, html: expect.stringContaining("<progress") });
    expect(shown.slice(1).every(({ id, update }) => update && id === shown[0]?.id)).toBe(true);
    expect(shown.map(({ text }) => text).join("\n")).toMatch(
      /^pull: (layer_features of site 12|property_changes): \d+/m,
    );
    expect(shown.at(-1)?.text).toMatch(/^pull: generation 1 with 303 rows, \d+ s$/);
    expect(shown.at(-1)?.html).not.toContain("<progress");
  });

  it("keeps the last progress if it fails", async () => {
    await expect(pull(slowSource(true), join(folder, "fails"))).rejects.toThrow("the log is gone");
    expect(shown.at(-1)?.text).toMatch(/^pull: layer_features of site \w+: \d+.* so far$/);
    expect(shown.at(-1)?.html).not.toContain("<progress");
  });

  it.each([
    ["showProgress: false", { showProgress: false }],
    ["onProgress", { onProgress: () => undefined }],
  ])("shows nothing with %s", async (name, options) => {
    await pull(slowSource(), join(folder, name.slice(0, 8)), options);
    expect(shown).toEqual([]);
  });
});

it("a pull shows the remaining work if it is known", () => {
  const stage = { stage: "layer_features of site 12", rows: 2000, remainingMs: undefined };
  expect(pullProgressText({ ...stage, total: undefined, toGo: undefined })).toBe("layer_features of site 12: 2,000");
  expect(pullProgressText({ ...stage, total: 3000, toGo: { rows: 1000, requests: 31, ms: 4200 } })).toBe(
    "layer_features of site 12: 2,000 of 3,000. Remaining: 1,000 features, 31 requests, about 5 s",
  );
});
