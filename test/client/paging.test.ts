import { describe, expect, it } from "vitest";
import { endpoints } from "../../src/api/endpoints.js";
import type { ResourceName } from "../../src/api/resources.js";
import { anyParams, mockRecords } from "./mock-records.js";
import { mockServices } from "./mock-service.js";

const mock = mockServices();

const names = Object.keys(endpoints) as ResourceName[];

describe.each(names)("%s", (resource) => {
  it.each([
    [0, 1],
    [1, 1],
    [9, 1],
    [10, 2],
    [17, 2],
    [18, 3],
    [23, 3],
    [24, 4],
    [29, 4],
    [30, 5],
  ])("reads %i rows in %i requests of 10, the fewest that prove completeness", async (count, requests) => {
    const { rows, reader } = await mock.start();
    rows.set(resource, mockRecords(resource, count));
    const result = await reader({ pageSize: 10 }).all(resource, anyParams[resource]);
    expect(result.rows).toEqual(rows.get(resource));
    // After an empty layer, the reader also reads the sites to explain it.
    expect(mock.service.requests.filter((request) => request.resource === resource)).toHaveLength(requests);
  });
});
