import { from, table } from "arquero";
import { describe, expect, it } from "vitest";
import { type SparklinesOptions, sparklines } from "../../../src/plot/index.js";
import { displaySymbol } from "../../../src/tables/display/mime-bundle.js";
import { plottedHistory } from "../plotted-history.js";

const days = ["2026-01-01", "2026-01-08", "2026-01-15", "2026-01-22"];
const courses = {
  "Block 2": [1, 8, 4, 6],
  "Block 10": [30, null, 10, 20],
  "Block 1": [5, 5, 5, 5],
  none: [null, null, null, null],
};
const rows = from(
  Object.entries(courses).flatMap(([block, kwh]) => days.map((date, at) => ({ block, date, kwh: kwh[at] }))),
);
const of = (options: Partial<SparklinesOptions> = {}) => sparklines(rows, { by: "block", y: "kwh", ...options });
const html = (options?: Partial<SparklinesOptions>) => String(of(options)[displaySymbol]()["text/html"]);
const names = (options: Partial<SparklinesOptions>) =>
  [...html(options).matchAll(/<th scope="row"[^>]*>([^<]*)/g)].map(([, name]) => name);
const pictures = (options?: Partial<SparklinesOptions>) =>
  [...html(options).matchAll(/base64,([^"]*)"/g)].map(([, text = ""]) => Buffer.from(text, "base64").toString());

describe("sparklines", () => {
  it("shows a line, the last number and the change as text", () => {
    expect(String(of({ unit: "kWh" })).split("\n")).toEqual([
      "block     kwh, kWh               last  since 2026-01-01",
      "Block 2   ▁    █    ▄    ▆          6  ▲ +5",
      "Block 10  █         ▁    ▅         20  ▼ −10",
      "Block 1   ▅    ▅    ▅    ▅          5  no change",
      "none                        not known",
      '5 rows without "kwh".',
    ]);
  });

  it("draws images without scripts, with the highest and lowest point, and gaps for missing numbers", () => {
    const [rising, broken, flat] = pictures();
    expect(pictures()).toHaveLength(3);
    expect(rising?.match(/<circle/g)).toHaveLength(3);
    expect(flat?.match(/<circle/g)).toHaveLength(1);
    expect(broken?.match(/M/g)).toHaveLength(2);
    expect(html()).toContain(
      'alt="Block 10: 30 (2026-01-01) to 20 (2026-01-22), highest 30 (2026-01-01), lowest 10 (2026-01-15)"',
    );
    expect(html()).not.toMatch(/<script|<style|class=/);
    const heights = (picture = "") => [...picture.matchAll(/[ML][\d.]+ ([\d.]+)/g)].map(([, y]) => Number(y));
    const all = pictures({ axes: "shared" }).flatMap(heights);
    expect(Math.min(...heights(rising))).toBe(Math.min(...heights(broken)));
    expect(Math.min(...heights(pictures({ axes: "shared" })[0]))).toBeGreaterThan(Math.min(...all));
  });

  it("sorts its rows, and shows at most `limit`", () => {
    expect(names({})).toEqual(["Block 2", "Block 10", "Block 1", "none"]);
    expect(names({ order: "name" })).toEqual(["Block 1", "Block 2", "Block 10", "none"]);
    expect(names({ order: "last" })).toEqual(["Block 10", "Block 2", "Block 1", "none"]);
    expect(names({ order: "change" })).toEqual(["Block 2", "Block 1", "Block 10", "none"]);
    expect(names({ order: ["Block 1"] })).toEqual(["Block 1", "Block 2", "Block 10", "none"]);
    expect(names({ limit: 2 })).toEqual(["Block 2", "Block 10"]);
    expect(html({ limit: 2 })).toContain("The first 2 of 4 rows.");
  });

  it("colours a change by `better`, mentions different first dates, and escapes its texts", () => {
    expect(html({ better: "lower" })).toMatch(/#d9534f.*#2e9e5b/s);
    expect(html()).not.toMatch(/#d9534f|#2e9e5b/);
    const later = table({ date: ["2026-01-01", "2026-01-08", "2026-01-09"], n: [1, 2, 3], "<b>": ["<i>", "<i>", "B"] });
    const shown = sparklines(later, { by: "<b>", y: "n" });
    expect(String(shown)).toContain("since its first");
    expect(String(shown[displaySymbol]()["text/html"])).not.toMatch(/<i>|<b>/);
  });

  it("accepts tables of a history, and shows the time of the data", async () => {
    const history = await plottedHistory();
    const shown = String(
      sparklines(history.counts("STATUS", ["2024-03-05", "2024-03-30"]), { by: "value", y: "count" }),
    );
    expect(shown).toContain("Data read 2024-03-31 00:00 UTC.");
    expect(shown).toMatch(/^unknown/m);
  });

  it("notes missing rows, and rejects invalid options", () => {
    expect(String(sparklines(rows.filter("d => false"), { by: "block", y: "kwh" }))).toContain("No rows");
    expect(() => of({ y: "block" })).toThrow("sparklines(): block of row 0");
    expect(() => of({ by: "blok" })).toThrow('no column "blok"');
    expect(() => of({ order: "lats" as never })).toThrow("order must be");
  });
});
