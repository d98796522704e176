import { afterEach, describe, expect, it } from "vitest";
import { decodeRecords, type LiveReader, liveReader } from "../../../src/client/live-reader.js";
import {
  findScreen,
  notebookScreen,
  type ProgressScreen,
  progressText,
  terminalScreen,
} from "../../../src/client/progress/progress-view.js";
import type { ReadOptions, ReadProgress } from "../../../src/client/read-options.js";
import { mockRecords } from "../mock-records.js";
import { KEY, type MockService, mockService } from "../mock-service.js";

const CLEAR = "\r\u001b[K";

let service: MockService;
let reader: LiveReader;
afterEach(async () => {
  await reader.close();
  await service.close();
});

type Way = (reader: LiveReader, options: ReadOptions) => Promise<unknown>;

const all: Way = (reader, options) => reader.all("datasets", new Map(), options);

async function slices(reader: LiveReader, options: ReadOptions): Promise<void> {
  for await (const { content } of reader.slices("datasets", new Map(), decodeRecords<"datasets">, options))
    void content;
}

/** Reads 40 datasets, with a duration for each page. */
async function read(
  screen: ProgressScreen,
  pageMs: number,
  options: ReadOptions = { showProgress: true },
  way: Way = all,
) {
  const begun = Date.UTC(2025, 0, 1);
  let elapsed = 0;
  service = await mockService({
    before() {
      elapsed += pageMs;
    },
  });
  service.rows.set("datasets", mockRecords("datasets", 40));
  // The bar uses elapsed time, not the clock of the machine, which runs backwards here.
  const clocks = { now: () => begun - elapsed, elapsed: () => elapsed };
  const effects = { ...clocks, random: () => 0, sleep: async () => {}, screen: () => screen };
  reader = liveReader({ baseUrl: service.baseUrl, apiKey: KEY, pageSize: 20, concurrency: 1 }, effects);
  await way(reader, options);
}

function terminal(columns = 80) {
  const written: string[] = [];
  return { written, screen: terminalScreen({ columns, write: (text) => written.push(text) }) };
}

describe("the bar on a terminal", () => {
  it("shows the progress of a long read, and is cleared at the end", async () => {
    const { written, screen } = terminal();
    await read(screen, 2000);
    expect(written[0]?.startsWith(CLEAR)).toBe(true);
    expect(written[0]).toMatch(/datasets █{12}░{12} 20 of 40 rows, 0 MB, \d+ s$/);
    expect(written.at(-1)).toBe(CLEAR);
  });

  it("is cleared after a read by slices", async () => {
    const { written, screen } = terminal();
    await read(screen, 2000, { showProgress: true }, slices);
    expect(written.length).toBeGreaterThan(1);
    expect(written.at(-1)).toBe(CLEAR);
  });

  it("fits the width of the terminal", async () => {
    const { written, screen } = terminal(30);
    await read(screen, 2000);
    expect(Math.max(...written.map((text) => text.length))).toBe(29 + CLEAR.length);
  });

  it("is complete on a terminal of unknown width", async () => {
    const { written, screen } = terminal(0);
    await read(screen, 2000);
    expect(written[0]).toMatch(/\d s$/);
  });

  it.each([
    ["a read of less than a second", 100, { showProgress: true }],
    ["showProgress: false", 2000, { showProgress: false }],
    ["onProgress", 2000, { showProgress: true, onProgress: () => {} }],
  ])("is not shown for %s", async (_, pageMs, options) => {
    const { written, screen } = terminal();
    await read(screen, pageMs, options);
    expect(written).toEqual([]);
  });
});

describe("the bar in a notebook", () => {
  it("is one updated output, which shows the result at the end", async () => {
    const shown: { text: string; html: string; id: string; update: boolean }[] = [];
    const screen = notebookScreen((value, { id, update }) => {
      const bundle = Reflect.get(value, Symbol.for("Jupyter.display"))();
      shown.push({ text: bundle["text/plain"], html: bundle["text/html"], id, update });
    });
    await read(screen, 2000);
    expect(shown[0]).toMatchObject({ update: false, html: expect.stringContaining('<progress value="0.500"') });
    expect(shown.slice(1).every(({ update, id }) => update && id === shown[0]?.id)).toBe(true);
    expect(shown.at(-1)?.text).toMatch(/^datasets: 40 of 40 rows/);
    expect(shown.at(-1)?.html).not.toContain("<progress");
  });
});

describe("a read in parts", () => {
  it("reports its share, even before the count of every part is known", async () => {
    service = await mockService();
    service.rows.set("propertyChanges", mockRecords("propertyChanges", 1000));
    reader = liveReader({ baseUrl: service.baseUrl, apiKey: KEY, concurrency: 1 });
    const steps: ReadProgress[] = [];
    const ids = Array.from({ length: 1000 }, (_, index) => index + 1);
    const filters = new Map([["layer_feature_id", ids]]);
    await reader.all("propertyChanges", filters, { onProgress: (step) => steps.push(step) });
    const shares = steps.map(({ share }) => share);
    expect(steps.filter(({ total }) => total === undefined).length).toBeGreaterThan(2);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares[0]).toBeLessThan(0.5);
    expect(shares.filter((share) => share > 0 && share < 1).length).toBeGreaterThan(2);
    expect(steps.at(-1)).toMatchObject({ share: 1 });
  });

  it("shows the share if the total is unknown, and an indeterminate bar without both", async () => {
    expect(
      progressText({ resource: "propertyChanges", rows: 1200, total: undefined, share: 0.351, bytes: 2e6 }, 3100),
    ).toBe("1,200 rows, 35%, 2 MB, 3 s");
    const shown: string[] = [];
    const line = notebookScreen((value) => {
      shown.push(Reflect.get(value, Symbol.for("Jupyter.display"))()["text/html"]);
    })();
    line.show({ title: "pull", share: undefined, text: "sites: 2" });
    line.show({ title: "pull", share: 0.25, text: "sites: 3" });
    expect(shown[0]).toContain("<progress aria-label");
    expect(shown[1]).toContain('<progress value="0.250"');
  });
});

describe("findScreen", () => {
  afterEach(() => {
    Reflect.deleteProperty(globalThis, "display");
    delete process.env["SITEFRAME_PROGRESS"];
  });

  it("returns the notebook's display, unless the environment disables progress", () => {
    Reflect.set(globalThis, "display", () => undefined);
    expect(findScreen()).toBeTypeOf("function");
    process.env["SITEFRAME_PROGRESS"] = "off";
    expect(findScreen()).toBeUndefined();
  });
});
