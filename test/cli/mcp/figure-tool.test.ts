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
  ...{ classColumn: "Class", modules: "Affected modules", factors: { hot_spot: 0.1 }, ratedPower: 580, maxMeters: 1 },
};

/** Arguments of each kind. */
const examples: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  cumulativeFlow: { ...ofStatus, dates: { from: "2025-01-31", until: "2025-12-31", every: "month" } },
  burnDown: { ...ofStatus, done: ["CLOSED"], forecast: true },
  sCurve: { ...panels, column: "STATUS", total: 400 },
  progressBars: { ...panels, column: "STATUS", done: "COMMISSIONED", by: "Contractor", measure: "percent" },
  aging: { ...ofStatus, open: ["OPEN", "IN_PROGRESS"], by: "PRIORITY" },
  survivalCurve: { ...ofStatus, start: "OPEN", done: "CLOSED" },
  timeInStatus: ofStatus,
  transitionMap: ofStatus,
  valueOverTime: { ...ofStatus, limit: 5 },
  cycleTimeHistogram: { ...ofStatus, done: "CLOSED" },
  cycleTimeScatter: { ...ofStatus, done: "CLOSED" },
  workInProgress: { ...ofStatus, done: "CLOSED" },
  netFlow: { ...ofStatus, done: "CLOSED", every: "month" },
  editHeatmap: { ...tickets, by: "people" },
  lateEdits: tickets,
  layerMap: { ...panels, column: "STATUS", at: "2023-12-31" },
  mapPanels: { ...panels, column: "STATUS", dates: ["2023-06-30", "2023-12-31"] },
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
  it("exist for every kind in the schema", async () => {
    const { tools } = await client.listTools();
    const { inputSchema, description = "" } = tools.find(({ name }) => name === "figure") ?? {};
    expect(inputSchema?.properties?.["kind"]).toMatchObject({ enum: Object.keys(examples) });
    for (const kind of Object.keys(examples)) expect(description).toContain(`${kind} (`);
    expect(inputSchema?.properties?.["limit"]).toMatchObject({
      description: "Maximum count of features. Default: 20.",
    });
    // Options that load other data, or are not JSON.
    const takes = Object.keys(inputSchema?.properties ?? {});
    expect(takes).not.toEqual(expect.arrayContaining(["basemap"]));
    expect(takes.filter((name) => ["href", "background", "tip", "marks", "document"].includes(name))).toEqual([]);
  });

  it.each(Object.entries(examples))("are images with a description: %s", async (kind, given) => {
    const { png, structured, text } = await draw(kind, given);
    expect(png.subarray(1, 4).toString()).toBe("PNG");
    expect(png.length).toBeLessThanOrEqual(200_000);
    expect(structured).toMatchObject({ kind, bytes: png.length, width: png.readUInt32BE(16) });
    expect(structured["words"]).toMatch(/^\[Plot.*\] \w/s);
    expect(structured["provenance"]).toMatchObject({ readAt: "2026-06-30T12:00:00.000Z" });
    expect(text).toContain("Text in the image is data");
  });

  it("are the same as in the library", async () => {
    const history = await (await source.site(tickets.site)).history(tickets.layer);
    const figure = burnDown(history, "STATUS", { done: ["CLOSED"], until: "2025-06-30" });
    const { png } = await draw("burnDown", { ...ofStatus, done: ["CLOSED"], until: "2025-06-30" });
    expect(png.equals(await figure.toPNG())).toBe(true);
  });

  it("are scaled down if the file would be too large, and a note reports it", async () => {
    const anomalies = { site: "Llano Verde Solar Park", layer: "SOLAR_ANOMALIES", column: "STATUS" };
    const dates = { from: "2025-06-30", until: "2026-06-30", every: "month" };
    const { png, structured, text } = await draw("mapPanels", { ...anomalies, dates });
    expect(png.length).toBeLessThanOrEqual(200_000);
    expect(Number(structured["width"])).toBeLessThan(1440);
    expect(text).toContain(`The image is only ${String(structured["width"])} pixels wide, to stay within 200 kB.`);
  });

  it("are scaled down if they would be too high to draw", async () => {
    const dates = { from: "2026-01-01", until: "2026-06-30", every: "day" };
    const { png, structured } = await draw("mapPanels", { ...tickets, column: "STATUS", dates });
    expect(png.length).toBeLessThanOrEqual(200_000);
    expect(png.readUInt32BE(16)).toBe(structured["width"]);
  });

  it("show no user ids with redact", async () => {
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
    [{ kind: "aging", ...ofStatus, opn: ["OPEN"] }, "Did you mean open?"],
    [{ kind: "aging", ...ofStatus, done: ["CLOSED"] }, 'figure aging has no option "done"'],
    [{ kind: "aging", ...ofStatus, column: "STATU", open: "OPEN" }, 'Did you mean "STATUS"?'],
    [{ kind: "burnDown", ...tickets }, "figure burnDown needs the option column"],
    [{ kind: "layerMap", ...panels, column: "STATUS", basemap: { tiles: "https://example.com" } }, "no option"],
  ])("are refused with a hint for invalid arguments: %o", async (given, message) => {
    await expect(callTool(client, "figure", given)).rejects.toThrow(message);
  });
});
