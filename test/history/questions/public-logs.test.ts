import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { History } from "../../../src/layer/layer.js";
import { fromChanges } from "../../../src/source/from-changes.js";
import { findPython } from "../../support/python.js";
import { rowsOf } from "../small-history.js";

const python = findPython("pm4py,pandas,jira_agile_metrics");
const folder = join(import.meta.dirname, "../../../.cache/event-logs/package/examples/input_data");

/** Public event logs as the package pm4js has them, which .ci/full installs: they do not belong to this repository. */
function haveLogs(): boolean {
  if (existsSync(folder)) return true;
  const reason = ".cache has no event logs of pm4js. Run .ci/full python";
  if (process.env["SITEFRAME_REQUIRE_ALL"]) throw new Error(reason);
  process.stderr.write(`skipped: ${reason}\n`);
  return false;
}

/** The activities that represent a status in each log. */
interface Log {
  readonly file: string;
  readonly arrival: readonly string[];
  readonly start: readonly string[];
  readonly done: readonly string[];
  readonly blocked: readonly string[];
  /** The number of excluded cases by reason. */
  readonly apart: Readonly<Record<Apart, number>>;
}

/**
 * The reason why tools count a case differently. `returned`: the case continues after it was done, which is a reopening here
 * and the same cycle in jira-agile-metrics unless its status goes back. `doneAtFirst`: the first value is done, which is
 * neither an arrival nor throughput here, and a case of length 0 in pm4py. `notBegun`: the case is done without a start,
 * which is throughput here, but not in jira-agile-metrics, which counts cases with a cycle time. `elsewhere`: the first
 * value is not an arrival status, from which alone jira-agile-metrics has arrivals.
 */
type Apart = "returned" | "doneAtFirst" | "notBegun" | "elsewhere";

const logs: readonly Log[] = [
  {
    // The receipt phase of environmental permits in a Dutch municipality, 1,434 cases.
    file: "receipt.xes",
    arrival: ["Confirmation of receipt"],
    start: ["T02 Check confirmation of receipt"],
    done: ["T10 Determine necessity to stop indication"],
    blocked: ["T04 Determine confirmation of receipt", "T06 Determine necessity of stop advice"],
    apart: { returned: 455, doneAtFirst: 0, notBegun: 161, elsewhere: 0 },
  },
  {
    // Road traffic fines in Italy, 100 cases whose times are dates.
    file: "roadtraffic100traces.xes",
    arrival: ["Create Fine"],
    start: ["Send Fine"],
    done: ["Payment", "Send for Credit Collection"],
    blocked: ["Insert Fine Notification"],
    apart: { returned: 6, doneAtFirst: 2, notBegun: 28, elsewhere: 6 },
  },
  {
    // Reviews of papers, simulated, 100 cases with up to 13 invitations each.
    file: "reviewing.xes",
    arrival: ["invite reviewers"],
    start: ["invite additional reviewer"],
    done: ["accept", "reject"],
    blocked: ["time-out X"],
    apart: { returned: 0, doneAtFirst: 0, notBegun: 7, elsewhere: 6 },
  },
];

type ByCase = Readonly<Record<string, number>>;
type Counts = readonly (readonly [date: string, count: number])[];

/** The output of the script. */
interface Found extends Readonly<Record<Apart, readonly string[]>> {
  readonly rows: readonly {
    readonly id: string;
    readonly value: string;
    readonly time: string;
    readonly place: number;
  }[];
  readonly until: string;
  readonly pm4py: { readonly lead: ByCase; readonly working: ByCase; readonly arrivalAverage: number };
  readonly jira: {
    readonly cycle: ByCase;
    readonly throughput: Counts;
    readonly wip: Counts;
    readonly arrivals: Counts;
    readonly ages: ByCase;
    readonly percentiles: readonly number[];
  };
  readonly jiraOfAll: ByCase;
  readonly blocked: ByCase;
}

describe.runIf(python && haveLogs()).each(logs)("$file in pm4py, jira-agile-metrics and pandas", (log) => {
  const { start, done, blocked } = log;
  let found: Found;
  let history: History;
  /** Cases that all tools count equally. */
  let same: History;

  const read = (rows: Found["rows"]) =>
    fromChanges(rows, {
      ...{ id: "id", property: "STATUS", value: "value", time: "time", sequence: "place" },
      readAt: new Date(found.until),
    });

  beforeAll(async () => {
    const script = join(import.meta.dirname, "python", "public_logs.py");
    const printed = execFileSync(python?.program ?? "", [script], {
      input: JSON.stringify({ ...log, path: join(folder, log.file) }),
      ...({ encoding: "utf8", stdio: "pipe", maxBuffer: 2 ** 28 } as const),
    });
    found = JSON.parse(printed.trim().split("\n").at(-1) ?? "") as Found;
    history = await read(found.rows);
    const apart = new Set([...found.returned, ...found.notBegun, ...found.elsewhere]);
    same = await read(found.rows.filter(({ id }) => !apart.has(id)));
  });

  /** A column of the first cycles, by case. */
  const byCase = (of: History, name: string, options: object = {}): ByCase => {
    const { cycles } = of.flow("STATUS", { start, done, ...options });
    const first = rowsOf(cycles).filter((row) => row["times_done"] === 1 && row[name] !== null);
    return Object.fromEntries(first.map((row) => [String(row["id"]), Number(row[name])]));
  };

  const expectClose = (actual: ByCase, expected: ByCase, digits = 8) => {
    const close = Object.entries(expected).map(([id, days]) => [id, expect.closeTo(days, digits) as unknown]);
    expect(actual).toEqual(Object.fromEntries(close));
  };

  /** Cases whose first value is not done. */
  const inUnits = (seconds: ByCase, unit: number): ByCase => {
    const arrived = Object.entries(seconds).filter(([id]) => !found.doneAtFirst.includes(id));
    return Object.fromEntries(arrived.map(([id, one]) => [id, one / unit]));
  };

  it("has the stated number of excluded cases", () => {
    const { returned, doneAtFirst, notBegun, elsewhere } = found;
    const counts = Object.entries({ returned, doneAtFirst, notBegun, elsewhere }).map(([why, ids]) => [
      why,
      ids.length,
    ]);
    expect(Object.fromEntries(counts)).toEqual(log.apart);
    const { cycles, diagnostics } = history.flow("STATUS", { start, done });
    const first = rowsOf(cycles).filter((row) => row["times_done"] === 1);
    expect(
      first
        .filter((row) => row["is_reopened"])
        .map((row) => row["id"])
        .sort(),
    ).toEqual(returned.filter((id) => !doneAtFirst.includes(id)));
    expect(diagnostics.find(({ code }) => code === "feature-done-at-start")?.count ?? 0).toBe(doneAtFirst.length);
    const without = first.filter((row) => row["cycle_days"] === null).map((row) => row["id"]);
    expect(without.sort()).toEqual(notBegun.filter((id) => !doneAtFirst.includes(id)));
  });

  it("takes as long from its arrival until it is done, in pm4py", () => {
    const days = inUnits(found.pm4py.lead, 86_400);
    expect(Object.keys(days).length).toBeGreaterThan(80);
    expectClose(byCase(history, "lead_days"), days);
  });

  it("takes as many business hours, in pm4py", () => {
    const calendar = { timeZone: "UTC", hours: "07:00-17:00" } as const;
    expectClose(byCase(history, "lead_days", { calendar }), inUnits(found.pm4py.working, 36_000), 6);
  });

  it("arrives as often, in pm4py and jira-agile-metrics", () => {
    const flow = history.flow("STATUS", { start, done });
    const arrivals = Array.from(flow.array("arrivals"), Number).reduce((all, one) => all + one, 0);
    const times = [...new Map(found.rows.toReversed().map(({ id, time }) => [id, Date.parse(time)])).values()];
    expect(arrivals).toBe(times.length - found.doneAtFirst.length);
    const average = (Math.max(...times) - Math.min(...times)) / 1000 / (times.length - 1);
    expect(average).toBeCloseTo(found.pm4py.arrivalAverage, 3);
    const daily = same.flow("STATUS", { start, done, every: "day" });
    const came = new Map(rowsOf(daily).map((row) => [String(row["from"]), row["arrivals"]]));
    expect(found.jira.arrivals.map(([date]) => [date, came.get(date)])).toEqual(found.jira.arrivals);
  });

  it("is done as often by week, in jira-agile-metrics", () => {
    const flow = same.flow("STATUS", { start, done });
    const sundays = new Map(
      rowsOf(flow).map((row) => {
        return [new Date(Date.parse(String(row["to"])) - 86_400_000).toISOString().slice(0, 10), row["throughput"]];
      }),
    );
    expect(found.jira.throughput.length).toBeGreaterThan(30);
    expect(found.jira.throughput.map(([date]) => [date, sundays.get(date)])).toEqual(found.jira.throughput);
  });

  it("is in progress on as many dates, in jira-agile-metrics", () => {
    const flow = same.flow("STATUS", { start, done, every: "day" });
    const begun = new Map(rowsOf(flow).map((row) => [String(row["from"]), row["in_progress"]]));
    expect(found.jira.wip.length).toBeGreaterThan(300);
    expect(found.jira.wip.map(([date]) => [date, begun.get(date)])).toEqual(found.jira.wip);
    const ages = rowsOf(flow.work).map((row) => {
      const days = Date.parse(found.until) - Date.parse((row["started_at"] as Date).toISOString().slice(0, 10));
      return [String(row["id"]), days / 86_400_000];
    });
    expect(Object.fromEntries(ages)).toEqual(found.jira.ages);
  });

  it("has the same cycle times and percentiles, in jira-agile-metrics", () => {
    const { percentiles } = same.flow("STATUS", { start, done });
    expectClose(byCase(same, "cycle_days"), found.jira.cycle);
    const straight = ([id]: readonly [string, number]) => !found.returned.includes(id);
    const ofAll = Object.fromEntries(Object.entries(byCase(history, "cycle_days")).filter(straight));
    expectClose(ofAll, Object.fromEntries(Object.entries(found.jiraOfAll).filter(straight)));
    const [own] = rowsOf(percentiles);
    expect(own?.["cycles"]).toBe(Object.keys(found.jira.cycle).length);
    const percentilesOf = ["p50_days", "p85_days", "p95_days"].map((name) => own?.[name]);
    expect(percentilesOf).toEqual(found.jira.percentiles.map((days) => expect.closeTo(days, 8) as unknown));
  });

  it("is blocked as long, in pandas", () => {
    expect(Object.values(found.blocked).filter((days) => days > 0).length).toBeGreaterThan(20);
    expectClose(byCase(history, "blocked_days", { blocked }), found.blocked);
  });
});
