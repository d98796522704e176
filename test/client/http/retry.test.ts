import { describe, expect, it } from "vitest";
import { RateLimitError, ServerError } from "../../../src/core/errors.js";
import { type MockOptions, mockServices, refuse } from "../mock-service.js";

const mock = mockServices();
const start = (fault: NonNullable<MockOptions["fault"]>) => mock.start({ fault });

describe("Retry-After", () => {
  it.each([
    ["seconds", "7", 7000],
    ["parts of a second", "0.2504", 251],
    ["an HTTP date", "Wed, 01 Jan 2025 00:00:09 GMT", 9000],
    ["a date that has passed", "Tue, 31 Dec 2024 00:00:00 GMT", 125],
    ["nonsense", "soon", 125],
    ["the longest of several", ["3", "7", "soon"], 7000],
    ["the whole budget", "120", 120_000],
  ])("accepts %s", async (_, header, wait) => {
    const { reader, sleeps } = await start(({ number }, response) => {
      if (number > 1) return false;
      response.setHeader("retry-after", header);
      return refuse(response, 429);
    });
    await reader().all("sites", {});
    expect(sleeps).toEqual([wait]);
  });

  it("beyond the budget of two minutes ends the request at once", async () => {
    const { reader, sleeps, requests } = await start((_, response) =>
      refuse(response, 429, "later", { "retry-after": "121" }),
    );
    const error = await reader()
      .all("sites", {})
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ facts: { attempts: 1, retryAfterMs: 121_000 } });
    expect([requests.length, sleeps]).toEqual([1, []]);
  });
});

describe("waits", () => {
  it("double, with jitter, up to 20 s and two minutes in total", async () => {
    const { reader, sleeps } = await start((_, response) => refuse(response, 500));
    await expect(reader({ pageSize: 10, retries: 100 }).all("sites", {})).rejects.toThrow(ServerError);
    const doubled = [125, 250, 500, 1000, 2000, 4000, 8000];
    expect(sleeps).toEqual([...doubled, ...Array.from({ length: 10 }, () => 10_000)]);
  });

  it.each([0, 2])("are as many as retries: %i", async (retries) => {
    const { reader, sleeps } = await start((_, response) => refuse(response, 500));
    await expect(reader({ pageSize: 10, retries }).all("sites", {})).rejects.toThrow(ServerError);
    expect(sleeps).toHaveLength(retries);
  });
});
