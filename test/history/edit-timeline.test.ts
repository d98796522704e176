import { describe, expect, test } from "vitest";
import { fromRecords } from "../../src/source/from-records.js";
import { toMimeBundle } from "../../src/tables/display/to-mime-bundle.js";
import { change, dataset, feature } from "../support/records.js";

/** The picture of a history with edits at some times. */
async function timelineOf(dates: readonly string[], timeZone = "UTC") {
  const source = fromRecords({
    layerFeatures: [feature(1)],
    datasets: [dataset(1)],
    propertyChanges: dates.map((created_at, n) => change(n + 1, { created_at })),
  });
  const bundle = await toMimeBundle(await source.history({ site_id: 12 }, { timeZone }));
  const html = String(bundle["text/html"]);
  const svg = Buffer.from(/base64,([^"]*)"/.exec(html)?.[1] ?? "", "base64").toString();
  const bars = [...svg.matchAll(/M([\d.]+) 76v-([\d.]+)/g)].map(([, x, tall]) => [Number(x), Number(tall)]);
  const labels = [...svg.matchAll(/>([\d-]+)<\/text>/g)].map(([, label]) => label);
  return { alt: / alt="([^"]*)"/.exec(html)?.[1], text: String(bundle["text/plain"]), svg, bars, labels };
}

const noon = (date: string) => `${date}T12:00:00Z`;

describe("the timeline of edits", () => {
  test("counts by dates in the history's time zone", async () => {
    const dates = ["2024-01-31T23:30:00Z", "2024-02-10T00:00:00Z", "2024-03-05T12:00:00Z", "2024-06-01T00:00:00Z"];
    const utc = await timelineOf(dates);
    expect(utc.alt).toBe("4 edits by week, from 2024-01-31 to 2024-06-01 (UTC), at most 1 in a week.");
    expect(utc.text).toContain(utc.alt);
    // Mondays.
    expect(utc.labels).toEqual(["2024-01-29", "2024-05-27"]);
    expect((await timelineOf(dates, "Europe/Berlin")).alt).toContain("from 2024-02-01 to 2024-06-01 (Europe/Berlin)");
  });

  test("has a bar for each period, with the height of its count", async () => {
    const many = ["2020-01-10", "2020-01-20", "2020-01-31", "2020-01-31", "2020-03-01", "2023-12-31"];
    const { alt, bars, labels } = await timelineOf(many.map(noon));
    expect(alt).toContain("6 edits by month, from 2020-01-10 to 2023-12-31 (UTC), at most 4 in a month");
    expect(bars).toEqual([
      [0, 60],
      [20, 15],
      [470, 15],
    ]);
    expect(labels).toEqual(["2020-01", "2023-12"]);
  });

  test.each([
    ["day", ["2024-01-01", "2024-03-01"], ["2024-01-01", "2024-03-01"]],
    ["quarter", ["2012-03-31", "2024-06-30"], ["2012-01", "2024-04"]],
    ["year", ["1924-07-01", "2024-01-01"], ["1924", "2024"]],
  ])("has a bar for each %s", async (step, dates, labels) => {
    const shown = await timelineOf(dates.map(noon));
    expect(shown.alt).toContain(`2 edits by ${step}`);
    expect(shown.labels).toEqual(labels);
  });

  test("is missing without edits and for impossible dates", async () => {
    expect((await timelineOf(["2024-01-01T00:00:00Z"])).alt).toContain("1 edit by day, from 2024-01-01 to 2024-01-01");
    expect((await timelineOf([])).svg).toBe("");
    expect((await timelineOf(["0001-01-01", "2024-01-01"].map(noon))).svg).toBe("");
  });
});
