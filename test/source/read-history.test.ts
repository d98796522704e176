import { afterEach, describe, expect, it } from "vitest";
import { liveReader } from "../../src/client/live-reader.js";
import { readerEffects } from "../../src/client/progress/progress-view.js";
import { UUID_WORDS, uuidText } from "../../src/core/uuid.js";
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

const expected = mockRecords("propertyChanges", COUNT).map(({ id }) => id);
const hidden = expected[15];

describe("changes of the service", () => {
  it("are each read once if pages overlap", async () => {
    expect(await readIds({})).toEqual(expected);
    expect(service.requests.length).toBeGreaterThan(COUNT / 10);
  });

  it("contain no rows of a listing that was restarted", async () => {
    let begun = 0;
    const ids = await readIds({
      before: ({ page }) => {
        if (page === 1) begun += 1;
      },
      envelope: (page) => (begun > 1 ? page : { ...page, data: page.data.filter(({ id }) => id !== hidden) }),
    });
    expect(begun).toBe(2);
    expect(ids).toEqual(expected);
  });

  it("are each read once if requests are retried", async () => {
    const fault: MockOptions["fault"] = ({ number }, response) => number % 2 === 1 && refuse(response, 503, "busy");
    expect(await readIds({ fault })).toEqual(expected);
    expect(service.requests.length).toBeGreaterThan(2 * (COUNT / 10));
  });

  it("are not returned if the read is aborted", async () => {
    const controller = new AbortController();
    const before: MockOptions["before"] = ({ page }) => {
      if (page === 2) controller.abort(new Error("enough"));
    };
    await expect(readIds({ before }, controller.signal)).rejects.toThrow("enough");
  });
});
