import { readFileSync } from "node:fs";
import type { Client } from "@modelcontextprotocol/client";
import type { ColumnTable } from "arquero";
import { beforeAll, describe, expect, it } from "vitest";
import { type History, inspection, progress, type SiteSource, type Source } from "../../src/index.js";
import { burnDown } from "../../src/plot/index.js";
import { ask, callTool, connectClient } from "../cli/mcp/connect-client.js";
import { sampleRecords } from "../cli/mcp/sample-records.js";

/** A question of the page, and its calls. */
interface AskedQuestion {
  readonly question: string;
  readonly calls: readonly (readonly [tool: string, given: Readonly<Record<string, unknown>>])[];
}

const guide = readFileSync("docs/how-to/mcp-questions.md", "utf8");
const asked = [...guide.matchAll(/^\d+\. \*\*(.+)\*\*\n\n```jsonl\n([^`]+)```/gm)].map(
  ([, question = "", lines = ""]): AskedQuestion => {
    const calls = lines
      .trim()
      .split("\n")
      .flatMap((line) =>
        Object.entries(JSON.parse(line) as Readonly<Record<string, Readonly<Record<string, unknown>>>>),
      );
    return { question, calls };
  },
);

const source: Source = sampleRecords(3000);
let client: Client;
let park: SiteSource;
let tickets: History;
let trenches: History;
let panels: History;

beforeAll(async () => {
  client = await connectClient({ source });
  park = await source.site("Llano Verde Solar Park");
  tickets = await park.history("PUNCH_LIST_ITEMS");
  trenches = await park.history("TRENCHES");
  panels = await park.history("SOLAR_PANELS");
});

type Row = Readonly<Record<string, unknown>>;
const rowsOf = (table: ColumnTable, isWanted: (row: Row) => boolean = () => true): readonly Row[] =>
  (table.objects() as Row[]).filter(isWanted);
const pick = (rows: readonly Row[], ...names: readonly string[]) =>
  rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name]])));

const open = ["OPEN", "IN_PROGRESS", "BLOCKED"];
const items = () => tickets.aging("STATUS", { open, due: "DUE_DATE" });
const known = (history: History) =>
  pick(
    rowsOf(history.asOf("2023-07-31"), (row) => row["visible_id"] === "PL-0015"),
    ...["id", "visible_id", "STATUS", "PROGRESS"],
  );
const thermal = (row: Row) => row["semantic_type"] === "SOLAR_ANOMALIES";

const disciplines = Object.entries({
  ...{ civil: "Civil", mechanical: "Mechanical", electrical: "Electrical" },
  ...{ safety: "Health and safety", documents: "Documentation" },
});

/** The results of the library for each call. */
const answers: readonly (() => Promise<readonly (readonly Row[])[]> | readonly (readonly Row[])[])[] = [
  async () => [pick(rowsOf(await source.sites()), "id", "name", "type", "peak_power")],
  async () => [
    rowsOf(await park.layers()),
    rowsOf((await park.layer("PUNCH_LIST_ITEMS")).describe()),
    disciplines.map(([code, label]) => ({ column: "Discipline", code, label })),
  ],
  () => [rowsOf(tickets.counts("STATUS", ["2025-06-30"], { by: "ASSIGNEE" }), ({ value }) => value === "OPEN")],
  () => [
    rowsOf(
      tickets.counts("STATUS", { from: "2025-03-31", until: "2025-12-31", every: "quarter" }),
      ({ value }) => value !== "CLOSED",
    ),
  ],
  () => [known(tickets.knownAt("2023-07-31")), known(tickets)],
  () => [rowsOf(tickets.diff("2025-06-23", "2025-06-30"))],
  () => [rowsOf(items())],
  () => [rowsOf(items().features).slice(0, 5)],
  () => [rowsOf(tickets.survival("STATUS", { start: "OPEN", done: "CLOSED", by: "PRIORITY", groupAt: "end" }).medians)],
  () => [rowsOf(tickets.flow("STATUS", { done: "CLOSED", every: "month", from: "2025-01-01", until: "2025-12-31" }))],
  () => [rowsOf(tickets.flow("STATUS", { done: "CLOSED", blocked: "BLOCKED" }).percentiles)],
  () => [
    rowsOf(
      tickets.transitions("STATUS", { order: ["OPEN", "IN_PROGRESS", "BLOCKED", "RESOLVED", "CLOSED"] }),
      ({ backward }) => backward === true,
    ),
  ],
  () => [rowsOf(tickets.forecast("STATUS", { done: "CLOSED" }))],
  () => [rowsOf(trenches.counts("STATUS", ["2023-06-30", "2023-09-30"], { weight: "Length" }))],
  () => [rowsOf(trenches.planVariance("STATUS", { done: "BACKFILLED", plan: "Planned finish", until: "2023-09-30" }))],
  async () => [
    rowsOf(
      await progress(park, {
        components: ["SOLAR_PANELS", "TRENCHES", "FENCES", "ROADS"],
        done: { SOLAR_PANELS: "COMMISSIONED", TRENCHES: "BACKFILLED", FENCES: "MESH_FIXED", ROADS: "GRAVEL_LAID" },
        at: "2023-08-31",
        since: "2023-07-31",
      }),
    ),
  ],
  () => [rowsOf(panels.firstReached("STATUS", "COMMISSIONED")).slice(0, 20)],
  () => [
    rowsOf(tickets.lateEntries({ moreThan: "P7D" })),
    rowsOf(tickets.reconcile()),
    rowsOf(tickets.reconcile().mismatches),
  ],
  async () => [
    rowsOf(await park.layers(), thermal),
    rowsOf(
      await inspection(
        await Promise.all(["2026-05-21", "2026-06-18"].map((day) => park.layer(`Solar anomalies ${day}`))),
        {
          ...{ classColumn: "Class", modules: "Affected modules", by: ["capture", "class"] },
          ...{ surveyArea: source, maxMeters: 1, relation: "Previous finding" },
        },
      ),
    ),
  ],
];

const plain = (rows: readonly Row[]): readonly Row[] =>
  (JSON.parse(JSON.stringify(rows)) as Row[]).map(({ geometry: _, ...row }) => row);

describe("the questions of the guide", () => {
  it("are twenty", () => {
    expect(asked).toHaveLength(20);
    expect(new Set(asked.map(({ question }) => question)).size).toBe(20);
  });

  it.each(asked.slice(0, answers.length))("have the results of the library: $question", async ({ question, calls }) => {
    const wanted = await answers[asked.findIndex((one) => one.question === question)]?.();
    expect(wanted).toHaveLength(calls.length);
    for (const [place, [tool, given]] of calls.entries()) {
      const { columns, rows, rowCount } = await ask(client, tool, given);
      const found = rows.map((row) => Object.fromEntries(columns.map((name, column) => [name, row[column] ?? null])));
      const expected = plain(wanted?.[place] ?? []);
      expect(expected.length, tool).toBeGreaterThan(0);
      // Choices also have a label.
      expect(found, tool).toMatchObject(expected.slice(0, 50));
      expect(found).toHaveLength(Math.min(50, expected.length));
      if (!("limit" in given)) expect(rowCount).toBe(expected.length);
    }
  });

  it("end with a figure", async () => {
    const [[tool, given] = ["", {}]] = asked.at(-1)?.calls ?? [];
    const { content } = await callTool(client, tool, given);
    const figure = burnDown(tickets, "STATUS", { done: ["CLOSED"], forecast: true });
    expect(Buffer.from(String(content[1]?.data), "base64").equals(await figure.toPNG())).toBe(true);
  });
});
