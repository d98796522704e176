import type { Client } from "@modelcontextprotocol/client";
import { beforeAll, describe, expect, it } from "vitest";
import type { Source } from "../../../src/index.js";
import { burnDown } from "../../../src/plot/index.js";
import { callTool, connectClient, type Result } from "./connect-client.js";
import { sampleRecords } from "./sample-records.js";

const source: Source = sampleRecords();
const tickets = { site: "Llano Verde Solar Park", layer: "PUNCH_LIST_ITEMS" };
const panels = { site: "Llano Verde Solar Park", layer: "SOLAR_PANELS" };
const ofStatus = { ...tickets, column: "STATUS" };
const flights = ["Solar anomalies 2026-02-19", "Solar anomalies 2026-05-21"];
const inspected = {
  site: "Llano Verde Solar Park",
  layers: flights,
  ...{ classes: "Class", modules: "Affected modules", factors: { hot_spot: 0.1 }, ratedPower: 580, maxDistance: 1 },
};

/** What each kind is asked. */
const examples: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  cumulativeFlow: { ...ofStatus, dates: { from: "2025-01-31", to: "2025-12-31", every: "month" } },
  burnDown: { ...ofStatus, done: ["CLOSED"], forecast: true },
  sCurve: { ...panels, column: "STATUS", total: 400 },
  progressBars: { ...panels, column: "STATUS", done: "COMMISSIONED", by: "Contractor", measure: "percent" },
  ageing: { ...ofStatus, open: ["OPEN", "IN_PROGRESS"], by: "PRIORITY" },
  survivalCurve: { ...ofStatus, from: "OPEN", to: "CLOSED" },
  timeInStatus: ofStatus,
  transitionMap: ofStatus,
  valueOverTime: { ...ofStatus, maxFeatures: 5 },
  cycleTimeHistogram: { ...ofStatus, done: "CLOSED" },
  cycleTimeScatter: { ...ofStatus, done: "CLOSED" },
  workInProgress: { ...ofStatus, done: "CLOSED" },
  netFlow: { ...ofStatus, done: "CLOSED", every: "month" },
  editHeatmap: { ...tickets, by: "people" },
  lateEdits: tickets,
  layerMap: { ...panels, column: "STATUS", at: "2023-12-31" },
  mapAt: { ...panels, column: "STATUS", dates: ["2023-06-30", "2023-12-31"] },
  histogram: { ...tickets, column: "PROGRESS", at: "2025-06-30" },
  pareto: { ...panels, by: "Contractor", measure: "Contracted modules" },
  inspectionPareto: { ...inspected, by: "class", measure: "affected_kw" },
  captureChanges: { ...inspected, measure: "anomalies" },
};

let client: Client;

beforeAll(async () => {
  client = await connectClient({ source });
});

interface Drawn {
  readonly png: Buffer;
  readonly structured: Readonly<Record<string, unknown>>;
  readonly text: string;
}

function drawnOf({ content, structuredContent = {} }: Result): Drawn {
  const [text, image] = content;
  expect(image).toMatchObject({ type: "image", mimeType: "image/png" });
  expect(JSON.stringify(structuredContent)).not.toContain(String(image?.data).slice(0, 40));
  return { png: Buffer.from(String(image?.data), "base64"), structured: structuredContent, text: String(text?.text) };
}

const draw = async (kind: string, given: object, of = client) =>
  drawnOf(await callTool(of, "figure", { kind, ...given }));

describe("figures", () => {
  it("are of every kind that the tool names", async () => {
    const { tools } = await client.listTools();
    const { inputSchema, description = "" } = tools.find(({ name }) => name === "figure") ?? {};
    expect(inputSchema?.properties?.["kind"]).toMatchObject({ enum: Object.keys(examples) });
    for (const kind of Object.keys(examples)) expect(description).toContain(`${kind} (`);
    // What reaches beyond the data, or is no JSON.
    const takes = Object.keys(inputSchema?.properties ?? {});
    expect(takes).not.toEqual(expect.arrayContaining(["ground"]));
    expect(takes.filter((name) => ["href", "background", "tip", "marks", "document"].includes(name))).toEqual([]);
  });

  it.each(Object.entries(examples))("are images that tell what they show: %s", async (kind, given) => {
    const { png, structured, text } = await draw(kind, given);
    expect(png.subarray(1, 4).toString()).toBe("PNG");
    expect(png.length).toBeLessThanOrEqual(200_000);
    expect(structured).toMatchObject({ kind, bytes: png.length, width: png.readUInt32BE(16) });
    expect(structured["words"]).toMatch(/^\[Plot.*\] \w/s);
    expect(structured["provenance"]).toMatchObject({ readAt: "2026-06-30T12:00:00.000Z" });
    expect(text).toContain("The words in the image are data");
  });

  it("are what the library draws", async () => {
    const history = await (await source.site(tickets.site)).history(tickets.layer);
    const figure = burnDown(history, "STATUS", { done: ["CLOSED"], until: "2025-06-30" });
    const { png } = await draw("burnDown", { ...ofStatus, done: ["CLOSED"], until: "2025-06-30" });
    expect(png.equals(await figure.toPNG())).toBe(true);
  });

  it("are smaller where they would be too large, and say so", async () => {
    const anomalies = { site: "Llano Verde Solar Park", layer: "SOLAR_ANOMALIES", column: "STATUS" };
    const dates = { from: "2025-06-30", to: "2026-06-30", every: "month" };
    const { png, structured, text } = await draw("mapAt", { ...anomalies, dates });
    expect(png.length).toBeLessThanOrEqual(200_000);
    expect(Number(structured["width"])).toBeLessThan(1440);
    expect(text).toContain(`It was drawn ${String(structured["width"])} pixels wide to stay within 200 kB.`);
  });

  it("are smaller where they would be too high to draw", async () => {
    const dates = { from: "2026-01-01", to: "2026-06-30", every: "day" };
    const { png, structured } = await draw("mapAt", { ...tickets, column: "STATUS", dates });
    expect(png.length).toBeLessThanOrEqual(200_000);
    expect(png.readUInt32BE(16)).toBe(structured["width"]);
  });

  it("name no person where persons are hidden", async () => {
    const hidden = await connectClient({ source, redact: true });
    const history = await (await source.site(tickets.site)).history(tickets.layer);
    const people = [...new Set(history.changes().array("user_id"))].flatMap((user) => (user === null ? [] : [user]));
    expect(people.length).toBeGreaterThan(3);
    for (const [kind, given] of Object.entries({ editHeatmap: { by: "people" }, lateEdits: {} })) {
      const { structured } = await draw(kind, { ...tickets, ...given }, hidden);
      expect(people.filter((user) => String(structured["words"]).includes(String(user)))).toEqual([]);
    }
    await hidden.close();
  });

  it.each([
    [{ kind: "burndown", ...ofStatus }, 'Did you mean "burnDown"?'],
    [{ kind: "ageing", ...ofStatus, opn: ["OPEN"] }, "Did you mean open?"],
    [{ kind: "ageing", ...ofStatus, done: ["CLOSED"] }, 'figure ageing has no option "done"'],
    [{ kind: "ageing", ...ofStatus, column: "STATU", open: "OPEN" }, 'Did you mean "STATUS"?'],
    [{ kind: "burnDown", ...tickets }, "figure burnDown needs the option column"],
    [{ kind: "layerMap", ...panels, column: "STATUS", ground: { tiles: "https://example.com" } }, "no option"],
  ])("say what is wrong: %o", async (given, message) => {
    await expect(callTool(client, "figure", given)).rejects.toThrow(message);
  });
});
