import { afterEach, describe, expect, it } from "vitest";
import { endpoints } from "../../src/api/endpoints.js";
import type { ResourceName } from "../../src/api/resources.js";
import { anyParams, mockRecords } from "./mock-records.js";
import { type MockOptions, type MockService, mockService } from "./mock-service.js";

let service: MockService;
const start = async (options?: MockOptions) => {
  service = await mockService(options);
  return service;
};
afterEach(() => service.close());

const names = Object.keys(endpoints) as ResourceName[];

describe.each(names)("%s", (resource) => {
  it.each([
    [0, 1],
    [1, 1],
    [10, 1],
    [11, 2],
    [25, 3],
    [30, 3],
  ])("reads %i rows in %i requests of 10, the fewest there can be", async (count, requests) => {
    const { rows, reader } = await start();
    rows.set(resource, mockRecords(resource, count));
    const result = await reader({ pageSize: 10 }).all(resource, anyParams[resource]);
    expect(result.rows).toEqual(rows.get(resource));
    expect(service.requests).toHaveLength(requests);
  });
});
