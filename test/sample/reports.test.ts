// Compares reports about the sample with loops over its records, without layers and histories.
import { expect, test } from "vitest";
import type { LayerFeature, PropertyChange } from "../../src/api/resources.js";
import { calendar, fromRecords, inspection, type Layer, progress } from "../../src/index.js";
import { company, featureById, features, keyOf, logKey, logs, records, sortable } from "./records.js";

const source = fromRecords(records, { readAt: new Date("2026-06-30T12:00:00Z") });
const park = await source.site("Llano Verde Solar Park");

const of = (type: string) => features.filter((each) => each.semantic_type === type && each.site_id === 101);
const sum = (numbers: readonly number[]) => numbers.reduce((all, number) => all + number, 0);

/** The last status at the end of a day, in UTC. */
function statusAt({ id }: LayerFeature, day: string): unknown {
  const until = `${day}T23:59:59.999999`;
  return (logs.get(logKey(id, "STATUS")) ?? []).findLast(({ created_at }) => sortable(created_at) <= until)?.new_value;
}

const holidays = ["01-01", "01-06", "05-01", "08-15", "10-12", "11-01", "12-06", "12-08", "12-25"];
const goodFridays = ["2023-04-07", "2024-03-29", "2025-04-18", "2026-04-03"];

test("work in the park stops on weekends and holidays", () => {
  const builds = new Set(["SOLAR_PANELS", "TRENCHES", "FENCES", "ROADS", "PUNCH_LIST_ITEMS", "SOLAR_ANOMALIES"]);
  const isFree = ({ created_at }: PropertyChange) => {
    const day = created_at.slice(0, 10);
    const weekday = new Date(day).getUTCDay();
    return weekday === 0 || weekday === 6 || holidays.includes(day.slice(5)) || goodFridays.includes(day);
  };
  const steps = [...logs.values()].flat().filter(({ layer_feature_id, property_key, system }) => {
    const feature = featureById.get(layer_feature_id);
    return (
      property_key === "STATUS" && !system && feature?.site_id === 101 && builds.has(String(feature.semantic_type))
    );
  });
  expect(steps.length).toBeGreaterThan(5000);
  // Inspections and reports of defects can happen on any day.
  const worked = new Set([
    "PILES",
    "STRUCTURE",
    "EXCAVATED",
    "CABLE_LAID",
    "BACKFILLED",
    "COMMISSIONED",
    "FIXED",
    "CLOSED",
  ]);
  expect(steps.filter((change) => worked.has(String(change.new_value)) && isFree(change))).toEqual([]);
});

test("the progress of the trenches by metres against their plan", async () => {
  const since = "2024-06-02";
  const [length, planned] = [keyOf("Cable trenches", "Length"), keyOf("Cable trenches", "Planned finish")];
  const trenches = of("TRENCHES");
  // A plan is linear between planned dates, and exact on them.
  const at = trenches
    .map(({ properties }) => String(properties[planned]))
    .sort()
    .findLast((day) => day <= "2024-06-30") as string;
  const metres = (which: (trench: LayerFeature) => boolean) =>
    sum(trenches.filter(which).map(({ properties }) => Number(properties[length])));
  const done = (day: string) => metres((trench) => statusAt(trench, day) === "BACKFILLED");
  const due = metres(({ properties }) => String(properties[planned]) <= at);
  const contracted = metres(() => true);

  const history = await park.history("TRENCHES");
  const report = await progress(
    { Trenches: history },
    { done: "BACKFILLED", weight: "Length", unit: "m", plan: "Planned finish", at, since },
  );
  expect(report.get("contracted", 0)).toBeCloseTo(contracted, 6);
  expect(report.get("earned", 0)).toBeCloseTo(done(at), 6);
  expect(report.get("change", 0)).toBeCloseTo(done(at) - done(since), 6);
  expect(report.get("planned", 0)).toBeCloseTo(due, 6);
  expect(report.get("spi", 0)).toBeCloseTo(done(at) / due, 9);
  expect(Number(report.get("spi", 0))).toBeLessThan(1);
  expect(at).toBe("2024-06-28");
  expect([contracted, done(at), done(since), due].map(Math.round)).toEqual([11_065, 7736, 6947, 9514]);
});

test("how old open tickets are, in working days", async () => {
  const [at, open] = ["2026-03-31", ["OPEN", "IN_PROGRESS", "BLOCKED"]];
  const free = [
    ...holidays.flatMap((day) => ["2023", "2024", "2025", "2026"].map((year) => `${year}-${day}`)),
    ...goodFridays,
  ];
  const works = (day: string) => ![0, 6].includes(new Date(day).getUTCDay()) && !free.includes(day);
  /** Working days of 24 hours, from the instant of a change to the end of the day of the report. */
  const ageOf = (createdAt: string) => {
    let hours = 0;
    for (let ms = Date.parse(createdAt); ms < Date.parse("2026-04-01"); ) {
      const next = Math.floor(ms / 86_400_000 + 1) * 86_400_000;
      if (works(new Date(ms).toISOString().slice(0, 10))) hours += (next - ms) / 3_600_000;
      ms = next;
    }
    return hours / 24;
  };
  const buckets = [0, 0, 0, 0];
  for (const ticket of of("PUNCH_LIST_ITEMS")) {
    const log = (logs.get(logKey(ticket.id, "STATUS")) ?? []).filter(({ created_at }) => created_at < "2026-04-01");
    if (!open.includes(String(log.at(-1)?.new_value))) continue;
    const last = log.findLastIndex(({ new_value }) => !open.includes(String(new_value)));
    const age = ageOf(String(log[last + 1]?.created_at));
    const bucket = age <= 7 ? 0 : age <= 30 ? 1 : age <= 90 ? 2 : 3;
    buckets[bucket] = (buckets[bucket] as number) + 1;
  }
  const history = await park.history("PUNCH_LIST_ITEMS");
  const working = calendar({ holidays: free, timeZone: "UTC" });
  const aging = history.aging("STATUS", { open, at, calendar: working });
  expect(aging.array("count")).toEqual(buckets);
  expect(buckets).toEqual([3, 4, 4, 13]);
});

test("contracted modules at their rated power are the peak power of the park", async () => {
  const [model, modules] = [keyOf("Panel tables", "Module type"), keyOf("Panel tables", "Contracted modules")];
  const rated = keyOf("Component models", "Rated power");
  const watts = of("SOLAR_PANELS").map(({ properties }) => {
    return Number(properties[modules]) * Number(featureById.get(Number(properties[model]))?.properties[rated]);
  });
  expect(sum(watts) / 1e6).toBeCloseTo(Number(company.sites[0]?.peak_power), 0);
});

test("an inspection of the thermal flights", async () => {
  const flights = company.operations.filter(({ id }) => of("SOLAR_ANOMALIES").some((each) => each.operation_id === id));
  const last = flights.slice(-3);
  const layers: Layer[] = [];
  for (const { id } of last) layers.push(await source.layer({ operation_id: id, semantic_type: "SOLAR_ANOMALIES" }));
  const factors = {
    hot_spot: 0.1,
    diode: 0.33,
    string: 1,
    cracked_glass: 0.05,
    pid: 0.3,
    soiling: 0.05,
    vegetation: 0.2,
  };
  const found = await inspection(layers, {
    classColumn: "Class",
    severityColumn: "IEC class",
    modules: "Affected modules",
    factors,
    ratedPower: 580,
    yield: 1850,
    tariff: 0.045,
    peakPower: source,
    surveyArea: source,
    relation: "Previous finding",
    maxMeters: 1,
    labels: last.map(({ date_captured }) => String(date_captured)),
  });

  const [kind, modules, previous] = ["Class", "Affected modules", "Previous finding"].map((name) => {
    return keyOf("Solar anomaly template", name);
  }) as [string, string, string];
  const found3 = last.map(({ id }) => of("SOLAR_ANOMALIES").filter((each) => each.operation_id === id));
  const kw = (all: readonly LayerFeature[]) =>
    sum(
      all.map(({ properties }) => {
        const factor = factors[String(properties[kind]) as keyof typeof factors];
        return (Number(properties[modules]) * 580 * factor) / 1000;
      }),
    );
  const counts = found3.map((all) => all.length);
  expect(found.array("anomalies")).toEqual(counts);
  expect(found.array("modules")).toEqual(found3.map((all) => sum(all.map((each) => Number(each.properties[modules])))));
  found3.forEach((all, place) => {
    expect(found.get("affected_kw", place)).toBeCloseTo(kw(all), 6);
    expect(found.get("kwh_per_year", place)).toBeCloseTo(kw(all) * 1850, 3);
    expect(found.get("money_per_year", place)).toBeCloseTo(kw(all) * 1850 * 0.045, 3);
  });

  // Fog: the anomalies of November in the last five blocks are not surveyed.
  const blockOf = (anomaly: LayerFeature) => {
    const table = featureById.get(Number(anomaly.properties[keyOf("Solar anomaly template", "Table")]));
    return Number(String(table?.visible_id).slice(1, 3));
  };
  const [november, february, may] = found3 as [LayerFeature[], LayerFeature[], LayerFeature[]];
  const unseen = november.filter((anomaly) => blockOf(anomaly) > 11);
  const names = (all: readonly LayerFeature[]) => new Set(all.map((each) => Number(each.properties[previous])));
  expect(found.get("not_surveyed", 1)).toBe(unseen.length);
  expect(found.get("fixed", 1)).toBe(november.length - unseen.length - names(february).size);
  // Anomalies that May shows again are persistent, across the flight in fog.
  const again = may.filter((anomaly) => unseen.some(({ id }) => id === Number(anomaly.properties[previous])));
  expect(again.length).toBeGreaterThan(5);
  expect([counts, unseen.length, again.length]).toEqual([[174, 122, 201], 52, 30]);
});
