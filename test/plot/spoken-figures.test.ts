import type { ColumnTable } from "arquero";
import * as aq from "arquero";
import { beforeAll, describe, expect, test } from "vitest";
import { mapValues } from "../../src/browser/map/map-values.js";
import type { History } from "../../src/index.js";
import {
  aging,
  burnDown,
  cumulativeFlow,
  cycleTimeHistogram,
  cycleTimeScatter,
  editHeatmap,
  type Figure,
  lateEdits,
  layerMap,
  mapAnimation,
  mapPanels,
  netFlow,
  sCurve,
  survivalCurve,
  timeInStatus,
  transitionMap,
  valueOverTime,
  workInProgress,
} from "../../src/plot/index.js";
import type { MapPayload } from "../../src/tables/display/live/map-payload.js";
import { toMimeBundle } from "../../src/tables/display/to-mime-bundle.js";
import { change, feature } from "../support/records.js";
import { frameFacts } from "../tables/display/frame-facts.js";
import { historyOf } from "./history-of.js";
import { spokenFigure } from "./tips/spoken.js";
import { weeklyHistory } from "./weekly-history.js";

/** Days with one decimal. */
const tenths = (days: number) => String(Number(days.toFixed(1)));

const groupOf = (id: number) => (id % 2 === 0 ? "East" : "West");

type Row = Readonly<Record<string, unknown>>;

let history: History;

beforeAll(async () => {
  history = await busyHistory();
});

/** Fifteen tickets of two groups with changes of status, some of them backward, at any hour, and late edits. */
async function busyHistory(): Promise<History> {
  const ids = Array.from({ length: 15 }, (_, index) => index + 1);
  const layerFeatures = ids.map((id) =>
    feature(id, {
      visible_id: `T-${id}`,
      properties: { STATUS: id % 4 === 0 ? "CLOSED" : "OPEN", GROUP: groupOf(id), DEPTH: id * 1.25 },
      geometry: { type: "Point", coordinates: [11 + id / 100, 48] },
      created_at: id === 3 ? "2023-12-01T08:00:00Z" : "2024-01-01T08:00:00Z",
    }),
  );
  const at = (day: number, hour: number) => new Date(Date.UTC(2024, 0, 2 + day, hour, 30)).toISOString();
  const way = ["OPEN", "BLOCKED", "OPEN", "RESOLVED", "CLOSED"];
  const moves = ids.flatMap((id) =>
    way
      .slice(0, 2 + (id % 4))
      .map((new_value, step) => ({ id, new_value, created_at: at(step * (id % 7) + (id % 3), 6 + id) })),
  );
  const overtaken = [2, 5].map((id) => ({ id, new_value: "PAUSED", created_at: at(1, 3) }));
  const propertyChanges = [...moves, ...overtaken].map(({ id, ...rest }, index) =>
    change(index + 1, { layer_feature_id: id, system: id === 4, ...rest }),
  );
  return historyOf(layerFeatures, propertyChanges, "2024-02-20T00:00:00Z");
}

const objects = (table: ColumnTable) => table.objects() as Row[];
const label = ({ value, state }: Row) => (state === "unknown" ? "unknown" : value === null ? "none" : String(value));
const dates = ["2024-01-02", "2024-01-09", "2024-01-16", "2024-02-06"];

/** How many features have each value at a date. */
function countsAt(date: string): ReadonlyMap<string, number> {
  return new Map(objects(history.counts("STATUS", [date])).map((row) => [label(row), Number(row["count"])]));
}

/** Four digits, as in tips. */
function text(value: number): string {
  return Number(value.toPrecision(4)).toLocaleString("en-US", { maximumFractionDigits: 12 });
}

const iso = (date: unknown) => (date as Date).toISOString();
const dayOf = (date: unknown) => iso(date).slice(0, 10);

/** Compares the text that a screen reader reads with the table of a figure. Things of unordered figures may come in any order. */
async function expectSpoken(figure: Figure, expected: readonly string[], isOrdered = true): Promise<void> {
  const { wide, narrow } = await spokenFigure(figure);
  if (!isOrdered) expect(wide.toSorted()).toEqual(expected.toSorted());
  else expect(wide).toEqual(expected);
  expect(narrow.toSorted()).toEqual(expected.toSorted());
}

describe("a chart has the values of its table", () => {
  test("burnDown", async () => {
    const expected = dates.map((date) => {
      const counts = countsAt(date);
      const unknown = counts.get("unknown") ?? 0;
      const left = [...counts].reduce((sum, [value, count]) => sum + (/CLOSED|unknown/.test(value) ? 0 : count), 0);
      return `${date}, not done ${left}, unknown ${unknown}`;
    });
    await expectSpoken(burnDown(history, "STATUS", { dates }), expected);
  });

  test("cumulativeFlow", async () => {
    const order = ["PAUSED", "OPEN", "BLOCKED", "RESOLVED", "CLOSED"];
    const expected = dates.map((date) => {
      const counts = countsAt(date);
      const values = [...order, "unknown"];
      return [`${date}, features`, ...values.map((value) => `${value} ${counts.get(value) ?? 0}`)].join(", ");
    });
    await expectSpoken(cumulativeFlow(history, "STATUS", { dates, order }), expected);
  });

  test("burnDown, with the weeks of a forecast", async () => {
    const weekly = await weeklyHistory();
    const options = { weeks: 8, seed: 5 };
    const { fan } = weekly.forecast("STATUS", { ...options, done: ["CLOSED"] });
    const { wide } = await spokenFigure(burnDown(weekly, "STATUS", { forecast: options }));
    const left = (done: unknown) => Math.round(10 * (12 - Number(done))) / 10;
    const expected = objects(fan).map((row) => {
      const [most, least] = [left(row["p95"]), left(row["p5"])].sort((a, b) => a - b);
      return `${dayOf(row["date"])}, forecast ${left(row["p50"])} (${most} to ${least})`;
    });
    expect(expected.length).toBeGreaterThan(2);
    // The last date of the log has both counts and a forecast.
    const spoken = wide
      .filter((words) => words.includes("("))
      .map((words) => words.replace(/not done \d+, unknown 0, /, ""));
    expect(spoken).toEqual(expected);
  });

  test("sCurve, with its plan", async () => {
    const stages = ["OPEN", "CLOSED"];
    const plan = aq.table({ date: ["2024-01-02", "2024-02-06"], value: [3, 15] });
    const { wide } = await spokenFigure(sCurve(history, "STATUS", { dates, stages, plan }));
    const closed = (date: string) => text((100 * (countsAt(date).get("CLOSED") ?? 0)) / 15);
    expect(wide.filter((words) => words.includes("plan"))).toEqual([
      expect.stringMatching(/^2024-01-0[23].*plan 20$/),
      expect.stringMatching(/^2024-02-0[67].*plan 100$/),
    ]);
    expect(wide.filter((words) => words.includes("CLOSED")).map((words) => /CLOSED ([\d.]+)/.exec(words)?.[1])).toEqual(
      dates.map(closed),
    );
  });

  test("sCurve", async () => {
    const stages = ["OPEN", "BLOCKED", "RESOLVED", "CLOSED"];
    const total = [...countsAt("2024-02-06").values()].reduce((sum, count) => sum + count, 0);
    const expected = dates.map((date) => {
      const counts = countsAt(date);
      const shares = stages.slice(1).map((stage) => {
        const later = stages.slice(stages.indexOf(stage));
        const reached = later.reduce((sum, value) => sum + (counts.get(value) ?? 0), 0);
        return `${stage} ${text((100 * reached) / total)}`;
      });
      return [`${date}, % of features`, ...shares].join(", ");
    });
    await expectSpoken(sCurve(history, "STATUS", { dates, stages }), expected);
  });

  test("survivalCurve, with all groups at each step", async () => {
    const spell = { start: "OPEN", done: ["RESOLVED", "CLOSED"], by: "GROUP" };
    const rows = objects(history.survival("STATUS", spell));
    const groups = [...new Set(rows.map((row) => String(row["GROUP"])))];
    expect(groups).toHaveLength(2);
    const times = [...new Set(rows.map((row) => Number(row["days"])))].sort((a, b) => a - b);
    const percent = (share: unknown) => `${(100 * Number(share)).toFixed(1)}%`;
    const expected = times.map((time) => {
      const lines = groups.flatMap((group) => {
        const own = rows.filter((row) => row["GROUP"] === group);
        const last = own.filter((row) => Number(row["days"]) <= time).at(-1);
        if (!last || time > Number(own.at(-1)?.["days"])) return [];
        const share = `${group} ${percent(last["survival"])} (${percent(last["lower"])} to ${percent(last["upper"])})`;
        return Number(last["days"]) === time ? [share, `at risk ${last["at_risk"]}`] : [share];
      });
      return [`Day ${tenths(time)}, not there yet`, ...lines].join(", ");
    });
    await expectSpoken(survivalCurve(history, "STATUS", spell), expected);
  });

  test("survivalCurve without groups", async () => {
    const spell = { start: "OPEN", done: "CLOSED" };
    const percent = (share: unknown) => `${(100 * Number(share)).toFixed(1)}%`;
    const expected = objects(history.survival("STATUS", spell)).map(
      (row) =>
        `Day ${tenths(Number(row["days"]))}, not there yet ${percent(row["survival"])} (${percent(row["lower"])} to ${percent(row["upper"])}), at risk ${row["at_risk"]}`,
    );
    await expectSpoken(survivalCurve(history, "STATUS", spell), expected);
  });

  test("timeInStatus, from the first quartile to the third", async () => {
    const stays = new Map<string, Row[]>();
    for (const row of objects(history.durations("STATUS")))
      stays.set(label(row), [...(stays.get(label(row)) ?? []), row]);
    const at = (sorted: readonly number[], share: number) => {
      const place = share * (sorted.length - 1);
      const [below = 0, above = 0] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
      return below + (above - below) * (place % 1);
    };
    const expected = [...stays].map(([value, rows]) => {
      const sorted = rows.map((row) => Number(row["days"])).sort((a, b) => a - b);
      const [low, median, high] = [0.25, 0.5, 0.75].map((share) => tenths(at(sorted, share)));
      const again = rows.filter((row) => Number(row["intervals"]) > 1).length;
      const days = low === high ? low : `${low} to ${high}`;
      return `${value}, days ${days}, median ${median}, features ${rows.length}, came back ${again}`;
    });
    await expectSpoken(timeInStatus(history, "STATUS"), expected, false);
  });

  test("transitionMap", async () => {
    const expected = objects(history.transitions("STATUS")).map((row) => {
      const days = row["median_days"] === null ? "none" : tenths(Number(row["median_days"]));
      return `from ${row["from"] ?? "none"}, to ${row["to"] ?? "none"}, times ${row["count"]}, median of days ${days}`;
    });
    await expectSpoken(transitionMap(history, "STATUS"), expected);
  });

  test("valueOverTime, with known ends", async () => {
    const shown = ["T-2", "T-3", "T-7"];
    const expected = objects(history.intervals("STATUS"))
      .filter((row) => shown.includes(String(row["visible_id"])))
      .map((row) => {
        const [from, to] = [row["valid_from"] as Date | null, row["valid_to"] as Date | null];
        const name = `${row["visible_id"]}: ${label(row)}`;
        if (from === null) return `${name}, until ${dayOf(to)}`;
        if (to === null) return `${name}, since ${dayOf(from)}`;
        if (dayOf(from) !== dayOf(to)) return `${name}, ${dayOf(from)} to ${dayOf(to)}`;
        return `${name}, ${dayOf(from)} ${iso(from).slice(11, 16)} to ${iso(to).slice(11, 16)}`;
      });
    await expectSpoken(valueOverTime(history, "STATUS", { features: shown }), expected);
  });

  test("editHeatmap, with every hour of the week", async () => {
    const edits = new Map<string, number>();
    for (const row of objects(history.editsByUser().hours)) {
      const key = `${row["weekday"]} ${row["hour"]}`;
      edits.set(key, (edits.get(key) ?? 0) + Number(row["edits"]));
    }
    const expected = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].flatMap((name, day) =>
      Array.from(
        { length: 24 },
        (_, hour) => `${name}, hour of day ${hour}, edits ${edits.get(`${day + 1} ${hour}`) ?? 0}`,
      ),
    );
    expect([...edits.values()].reduce((sum, count) => sum + count, 0)).toBe(history.length);
    await expectSpoken(editHeatmap(history), expected);
  });

  test("aging, at a date and at several", async () => {
    const open = ["OPEN", "BLOCKED"];
    const by = history.aging("STATUS", { open, by: "GROUP", at: "2024-01-16", buckets: [2, 9] });
    const bars = objects(by).filter((row) => Number(row["count"]) > 0);
    expect(bars.length).toBeGreaterThan(1);
    await expectSpoken(
      aging(history, "STATUS", { open, by: "GROUP", at: "2024-01-16", buckets: [2, 9] }),
      bars.map((row) => `age ${row["bucket"]}, items ${row["count"]}, GROUP ${row["GROUP"]}`),
    );
    const dated = objects(history.aging("STATUS", { open, dates })).filter((row) => Number(row["count"]) > 0);
    await expectSpoken(
      aging(history, "STATUS", { open, dates }),
      dated.map((row) => `date ${row["date"]}, age ${row["bucket"]}, items ${row["count"]}`),
    );
  });

  test("cycle times, and work in progress", async () => {
    const ends = { start: "BLOCKED", done: "CLOSED" };
    const flow = history.flow("STATUS", ends);
    const cycles = objects(flow.cycles).filter((row) => row["cycle_days"] !== null);
    expect(cycles.length).toBeGreaterThan(1);
    const time = (at: unknown) => iso(at).slice(0, 16).replace("T", " ");
    await expectSpoken(
      cycleTimeScatter(history, "STATUS", ends),
      cycles.map(
        (row) =>
          `date of completion ${time(row["done_at"])}, days ${text(Number(row["cycle_days"]))}, item ${row["visible_id"]}`,
      ),
    );
    const { wide } = await spokenFigure(cycleTimeHistogram(history, "STATUS", ends));
    const counted = wide.map((words) => /^days (.+) to (.+), items (.+)$/.exec(words)?.slice(1).map(Number) ?? []);
    for (const [low = 0, high = 0, items] of counted) {
      const within = cycles.map((row) => Number(row["cycle_days"])).filter((days) => days >= low && days < high);
      expect(items).toBe(within.length);
    }
    expect(counted.reduce((sum, [, , items = 0]) => sum + items, 0)).toBe(cycles.length);
    const work = objects(flow.work);
    expect(work.length).toBeGreaterThan(2);
    await expectSpoken(
      workInProgress(history, "STATUS", ends),
      work.map((row) => `${row["value"]}, days ${text(Number(row["age_days"]))}, item ${row["visible_id"]}`),
      false,
    );
  });

  test("netFlow", async () => {
    const rows = objects(history.flow("STATUS", { done: "CLOSED" }));
    const kinds = { arrived: "arrivals", reopened: "reopened", done: "throughput" };
    const week = (from: unknown) =>
      `${from} to ${iso(new Date(Date.parse(String(from)) + 6 * 86_400_000)).slice(0, 10)}`;
    const expected = rows.flatMap((row) => [
      ...Object.entries(kinds)
        .filter(([, column]) => Number(row[column]) > 0)
        .map(([kind, column]) => `${week(row["from"])}, ${row[column]} ${kind}`),
      `${week(row["from"])}, net flow ${String(row["net_flow"]).replace("-", "−")}`,
    ]);
    await expectSpoken(netFlow(history, "STATUS", { done: "CLOSED" }), expected, false);
  });

  test("lateEdits", async () => {
    const expected = objects(history.lateEdits()).map(
      (row) =>
        `time of the edit ${iso(row["created_at"]).slice(0, 16).replace("T", " ")}, days older than the newer edit ${text(Number(row["late_by_days"]))}, property ${row["column"]}`,
    );
    expect(expected).toHaveLength(2);
    await expectSpoken(lateEdits(history), expected);
  });
});

/** The words for each feature at each date, joined by the frame of a map. */
async function spokenMap(figure: unknown): Promise<readonly string[]> {
  const { "text/html": html = "" } = (await toMimeBundle(figure)) as Record<string, string>;
  const { names, dates, columns } = frameFacts(html) as MapPayload;
  const values = mapValues(columns, names.length);
  const state = values.before();
  return (dates.length === 0 ? [""] : dates).flatMap((date, index) => {
    values.goOn(state, index);
    return names.map((name, row) => {
      const texts = columns.map(({ label }, column) => `${label} ${values.textOf(state, column, row)}`);
      return [date ? `${name}, ${date}` : name, ...texts].join(", ");
    });
  });
}

describe("a map has the values of its table", () => {
  const statusOf = (row: Row) => (row["STATUS"] === null ? "none" : String(row["STATUS"]));

  test("layerMap", async () => {
    const spoken = await spokenMap(layerMap(history, "STATUS", { tip: ["DEPTH", "GROUP"] }));
    const now = objects(history.asOf(history.readAt));
    expect(spoken).toEqual(
      now.map((row) => `${row["visible_id"]}, STATUS ${statusOf(row)}, DEPTH ${row["DEPTH"]}, GROUP ${row["GROUP"]}`),
    );
  });

  test.each([
    ["mapPanels", mapPanels],
    ["mapAnimation", mapAnimation],
  ] as const)("%s", async (_, draw) => {
    const spoken = await spokenMap(draw(history, "STATUS", { dates, tip: ["GROUP"] }));
    const expected = dates.flatMap((date) =>
      objects(history.states(date))
        .filter(({ column }) => column === "STATUS")
        .map((row) => `${row["visible_id"]}, ${date}, STATUS ${label(row)}, GROUP ${groupOf(Number(row["id"]))}`),
    );
    expect(spoken).toEqual(expected);
  });
});
