import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect, type Layer, type Source } from "../../src/index.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { type SampleService, startSampleService } from "../support/sample-service.js";
import { type Ended, runSiteframe } from "./run-siteframe.js";

const folder = temporaryFolder();
let service: SampleService;
let source: Source;

beforeAll(async () => {
  service = await startSampleService();
  source = connect({ baseUrl: service.url, apiKey: service.apiKey });
});

afterAll(() => service.close());

const portfolio = (args: readonly string[]): Promise<Ended> =>
  runSiteframe(["report", "portfolio", ...args], {
    SITEFRAME_BASE_URL: service.url,
    SITEFRAME_API_KEY: service.apiKey,
  });

/** The page of a report: its text, and the cells of its rows by site. */
async function readPortfolio(args: readonly string[]) {
  const html = join(folder, "{report}-{date}.html");
  const ended = await portfolio([...args, "--html", html]);
  expect(ended).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Wrote /) });
  const page = readFileSync(ended.stdout.trim(), "utf8");
  const visible = page.replaceAll(/srcdoc="[^"]*"|<(style|script)[^>]*>[\s\S]*?<\/\1>/g, "");
  const textOf = (part: string) => part.replaceAll(/(?:<[^>]*>|\s)+/g, " ").trim();
  const rows = [...visible.matchAll(/<tr[^>]*>(?:(?!<\/tr>)[\s\S])*scope="row"[\s\S]*?<\/tr>/g)].map(([row]) =>
    row
      .split(/<t[dh][^>]*>/)
      .slice(1)
      .map(textOf),
  );
  return {
    page,
    words: textOf(visible),
    rowOf: (site: string) => rows.find(([first]) => first?.startsWith(site)),
    rows,
  };
}

/** A number with a change: `5 +2`, `−17.2 +10.0`. */
const numbersOf = (cell = "") =>
  [...cell.matchAll(/[+−]?\d+(?:\.\d+)?/g)].map(([text]) => Number(text.replace("−", "-")));

const DAY = 86_400_000;
const [AT, SINCE] = ["2024-03-31", "2024-02-29"];
/** Midnights after these days in Madrid. */
const ends: Readonly<Record<string, number>> = {
  [AT]: Date.parse("2024-03-31T22:00:00Z"),
  [SINCE]: Date.parse("2024-02-29T23:00:00Z"),
};

interface Change {
  readonly id: string;
  readonly feature: number;
  readonly value: unknown;
  readonly at: number;
}

/** Status changes of a layer, by valid time. */
async function statusChanges(layer: Layer): Promise<readonly Change[]> {
  const ids = [...layer.table.array("id")] as number[];
  const changes: Change[] = [];
  for await (const one of source.records("propertyChanges", { layer_feature_id: ids, property_key: "STATUS" })) {
    const { id, layer_feature_id: feature, new_value: value, created_at } = one;
    changes.push({ id, feature, value, at: Date.parse(created_at) });
  }
  return changes.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
}

/** The status of each feature at the end of a day, from the changes that the service had received by then. */
function statusesAt(changes: readonly Change[], day: string): ReadonlyMap<number, unknown> {
  const end = Number(ends[day]);
  const receivedAt = (id: string) => Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);
  const known = changes.filter(({ id, at }) => at < end && receivedAt(id) < end);
  return new Map(known.map(({ feature, value }) => [feature, value]));
}

describe("siteframe report portfolio", () => {
  it("has the figures of all sites that follow from the records", async () => {
    const { rowOf, rows, words } = await readPortfolio(["--at", AT, "--since", SINCE]);
    expect(rows).toHaveLength(4);
    const park = await source.site("Llano Verde Solar Park");
    const [, points, late, open, age, power, capture, dataAge] = rowOf(park.name) ?? [];

    const tickets = await statusChanges(await park.layer("PUNCH_LIST_ITEMS"));
    const openAt = (day: string) =>
      [...statusesAt(tickets, day)].filter(([, status]) => ["OPEN", "IN_PROGRESS", "BLOCKED"].includes(String(status)));
    const [now, before] = [openAt(AT).length, openAt(SINCE).length];
    expect(numbersOf(open)).toEqual(now === before ? [now] : [now, now - before]);
    expect(words).toContain(`open tickets: ${now};`);
    // Whole working days since a ticket was opened. No holiday of the report is in these years.
    const ages = openAt(AT).map(([id]) => {
      const own = tickets.filter(({ feature, at }) => feature === id && at < Number(ends[AT]));
      const closed = own.findLastIndex(({ value }) => value === "RESOLVED" || value === "CLOSED");
      const [from, until] = [Number(own[closed + 1]?.at), Number(ends[AT])];
      const days = Array.from({ length: Math.ceil((until - from) / DAY) }, (_, index) => new Date(from + index * DAY));
      return days.filter((day) => day.getUTCDay() % 6 !== 0).length;
    });
    const median = ages.sort((a, b) => a - b)[Math.floor(ages.length / 2)] ?? Number.NaN;
    expect(Math.abs(Number(numbersOf(age)[0]) - median)).toBeLessThanOrEqual(1);

    const components = {
      Panels: await panelPowers(await park.layer("SOLAR_PANELS")),
      Trenches: await quantities(await park.layer("TRENCHES")),
      Roads: await quantities(await park.layer("ROADS")),
      Fence: await quantities(await park.layer("FENCES")),
    };
    const [worst] = Object.entries(components)
      .map(([name, items]) => ({ name, now: againstPlan(items, AT) }))
      .filter((one) => one.now.percent < 100 - 1e-6)
      .sort((a, b) => b.now.late - a.now.late);
    expect(rowOf(park.name)?.[0]).toContain(`Behind the plan: ${worst?.name}`);
    expect(Number(numbersOf(points)[0])).toBeCloseTo(Number(worst?.now.points), 0);
    expect(Math.abs(Number(numbersOf(late)[0]) - Number(worst?.now.late))).toBeLessThanOrEqual(1);

    const captures = (await park.operations({ status: "COMPLETED" })).objects();
    const thermal = captures.filter(
      (one) => one.data_product_name?.startsWith("Thermal") && String(one.date_captured) <= AT,
    );
    const anomalies = await source.layer({
      operation_id: Number(thermal.at(-1)?.id),
      semantic_type: "SOLAR_ANOMALIES",
    });
    const factors = {
      hot_spot: 0.1,
      diode: 0.33,
      string: 1,
      cracked_glass: 0.05,
      pid: 0.3,
      soiling: 0.05,
      vegetation: 0.2,
    };
    const watts = anomalies.table
      .objects()
      .map((one) => Number(one["Affected modules"]) * 585 * factors[one["Class"] as keyof typeof factors]);
    const kw = watts.reduce((sum, one) => sum + one, 0) / 1000;
    expect(numbersOf(power)[0]).toBe(Number((kw / Number(park.record.peak_power)).toFixed(2)));
    expect(power).toContain("no new capture");
    const last = captures.map((one) => String(one.date_captured)).filter((day) => day <= AT);
    expect(Date.parse(`${capture} UTC`)).toBe(Date.parse(last.sort().at(-1) ?? ""));

    const changed = [...tickets, ...Object.values(components).flatMap(({ changes }) => changes)];
    const newest = Math.max(...changed.filter(({ at }) => at < Number(ends[AT])).map(({ at }) => at));
    expect(numbersOf(dataAge)).toEqual([Math.floor((Number(ends[AT]) - newest) / DAY)]);
  });

  it("lists the data that sites do not have, never as 0", async () => {
    const { rowOf, words, page } = await readPortfolio([]);
    expect(words).toContain("The period ends with the last change in the data, on 29 Jun 2026.");
    expect(words).toContain("without data: Kelderburn Battery Storage.");
    expect(page).toContain("Without coordinates: Kelderburn Battery Storage.");
    const [, ...storage] = rowOf("Kelderburn") ?? [];
    expect(storage).toEqual(["no components", "no tickets", "no inspections", "no captures", "no data"]);
    const [, ...road] = rowOf("Thornbeck") ?? [];
    expect(road).toEqual(["no plan", "no tickets", "no inspections", "10 Mar 2026", "0"]);
    const early = await readPortfolio(["--at", "2020-01-01"]);
    for (const [, ...cells] of early.rows) expect(cells).toEqual(storage);
  });

  it("covers the listed sites, each once and in their order", async () => {
    const sites = ["--site", "Kelderburn Battery Storage", "--site", "102", "104"];
    const { rows, words } = await readPortfolio([...sites, "--at", "2026-06-30"]);
    expect(rows.map(([site]) => site)).toEqual(["Kelderburn Battery Storage", "Harrow Moor Wind Farm"]);
    expect(words).toContain("Portfolio, 2 sites");
    expect(words).toContain("No site has a plan");
  });

  it("reports an unknown site with a suggestion", async () => {
    const html = join(folder, "none.html");
    const { code, stderr } = await portfolio(["--site", "101", "--site", "Thornbeck Bypas", "--html", html]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/Unknown site "Thornbeck Bypas"\. Did you mean "Thornbeck Bypass"\?\n$/);
  });

  it("is written in German", async () => {
    const { words, rowOf } = await readPortfolio(["--at", AT, "--since", SINCE, "--locale", "de"]);
    expect(words).toContain("Im Rückstand: 1 von 1 Standorten mit Plan (Llano Verde Solar Park:");
    expect(rowOf("Llano")?.[0]).toContain("Im Rückstand: Modultische");
    expect(rowOf("Llano")?.[1]).toMatch(/^−\d+,\d/);
    expect(rowOf("Kelderburn")?.slice(1)).toContain("keine Aufnahmen");
    expect(words).not.toMatch(/\b(?:since|behind|tickets|captures|Trends)\b/);
  });
});

/** A component: what its features count, when they are planned, and their status changes. */
interface Component {
  readonly items: readonly { readonly id: number; readonly quantity: number; readonly planned: number }[];
  readonly changes: readonly Change[];
}

async function quantities(layer: Layer, of = (row: Readonly<Record<string, unknown>>) => Number(row["Length"])) {
  const items = layer.table.objects().map((row) => ({
    id: Number(row["id"]),
    quantity: of(row),
    // To the end of the day.
    planned: Date.parse(String(row["Planned finish"])) / DAY + 1,
  }));
  return { items, changes: await statusChanges(layer) };
}

async function panelPowers(layer: Layer): Promise<Component> {
  const models = await source.layer({ dataset_id: Number((await modelsOf()).get("id", 0)) });
  const powers = new Map(models.table.objects().map((row) => [row["id"], Number(row["Rated power"])]));
  return quantities(layer, (row) => (Number(row["Contracted modules"]) * Number(powers.get(row["Module type"]))) / 1e6);
}

async function modelsOf() {
  return (await source.datasets({ site_id: null })).filter("d => d.name === 'Component models'");
}

const lastStages = ["COMMISSIONED", "BACKFILLED", "GRAVEL_LAID", "MESH_FIXED"];

/** Earned minus planned in percent, and the days since the plan had the earned quantity. */
function againstPlan({ items, changes }: Component, day: string) {
  const statuses = statusesAt(changes, day);
  const sum = (some: Component["items"]) => some.reduce((total, { quantity }) => total + quantity, 0);
  const earned = sum(items.filter(({ id }) => lastStages.includes(String(statuses.get(id)))));
  const total = sum(items);
  const now = Date.parse(day) / DAY + 1;
  // The plan as a line through the sums by day.
  const days = [...new Set(items.map(({ planned }) => planned))].sort((a, b) => a - b);
  const line = days.map((end) => [end, sum(items.filter(({ planned }) => planned <= end))] as const);
  const between = (x: number, [x1, y1]: readonly [number, number], [x2, y2]: readonly [number, number]) =>
    y1 + ((y2 - y1) * (x - x1)) / (x2 - x1);
  const at = line.findLastIndex(([end]) => end <= now);
  const left = line[at] ?? ([now, 0] as const);
  const right = line[at + 1] ?? ([now + 1, total] as const);
  const planned = line[at + 1] === undefined ? total : between(now, left, right);
  const reached = line.findLastIndex(([, value]) => value <= earned);
  const [from, to] = [line[reached], line[reached + 1]];
  const due = from && to ? between(earned, [from[1], from[0]], [to[1], to[0]]) : Number(days[0]);
  return { percent: (100 * earned) / total, points: (100 * (earned - planned)) / total, late: now - due };
}
