import { afterEach, describe, expect, it } from "vitest";
import { liveReader } from "../../src/client/live-reader.js";
import { readerEffects } from "../../src/client/progress/progress-screen.js";
import { DriftError } from "../../src/core/errors.js";
import { UUID_WORDS, uuidText } from "../../src/core/uuid-words.js";
import { readChanges } from "../../src/source/read-history.js";
import { mockRecords } from "../client/mock-records.js";
import { type MockOptions, type MockService, mockService, refuse } from "../client/mock-service.js";

let service: MockService;
afterEach(() => service.close());

const COUNT = 30;

/** The ids of changes that are read, in the order in which they were kept. */
async function readIds(options: MockOptions, signal?: AbortSignal) {
  service = await mockService(options);
  service.rows.set("propertyChanges", mockRecords("propertyChanges", COUNT));
  const reader = liveReader(
    { baseUrl: service.baseUrl, apiKey: "key", pageSize: 10 },
    { ...readerEffects, sleep: async () => {} },
  );
  try {
    const filters = new Map([["layer_feature_id", [1]]]);
    const { columns } = await readChanges(reader, filters, signal ? { signal } : {});
    return columns.flatMap(({ ids, rowCount }) =>
      Array.from({ length: rowCount }, (_, row) => uuidText(ids, row * UUID_WORDS)),
    );
  } finally {
    await reader.close();
  }
}

const wanted = mockRecords("propertyChanges", COUNT).map(({ id }) => id);
const hidden = wanted[15];

describe("changes of the service", () => {
  it("are each kept once, though their pages overlap", async () => {
    expect(await readIds({})).toEqual(wanted);
    expect(service.requests.length).toBeGreaterThan(COUNT / 10);
  });

  it("leave nothing behind of a listing that did not settle and was begun anew", async () => {
    let begun = 0;
    const ids = await readIds({
      before: ({ page }) => {
        if (page === 1) begun += 1;
      },
      envelope: (page) => (begun > 1 ? page : { ...page, data: page.data.filter(({ id }) => id !== hidden) }),
    });
    expect(begun).toBe(2);
    expect(ids).toEqual(wanted);
  });

  it("are an error where the listing never settles", async () => {
    const envelope: MockOptions["envelope"] = (page) => ({
      ...page,
      data: page.data.filter(({ id }) => id !== hidden),
    });
    await expect(readIds({ envelope })).rejects.toBeInstanceOf(DriftError);
  });

  it("are each kept once, though requests fail and are sent again", async () => {
    const fault: MockOptions["fault"] = ({ number }, response) => number % 2 === 1 && refuse(response, 503, "busy");
    expect(await readIds({ fault })).toEqual(wanted);
    expect(service.requests.length).toBeGreaterThan(2 * (COUNT / 10));
  });

  it("are none where the read is aborted in between", async () => {
    const controller = new AbortController();
    const before: MockOptions["before"] = ({ page }) => {
      if (page === 2) controller.abort(new Error("enough"));
    };
    await expect(readIds({ before }, controller.signal)).rejects.toThrow("enough");
  });
});
