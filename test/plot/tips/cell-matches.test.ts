import type { Markish, PlotOptions } from "@observablehq/plot";
import { describe, expect, it } from "vitest";
import { createDocument } from "../../../src/plot/figure/draw-figure.js";
import { Plot } from "../../../src/plot/index.js";
import { extractTooltips } from "../../../src/plot/tips/extract-tooltips.js";
import type { TooltipChannel, TooltipMark } from "../../../src/tables/display/live/chart-payload.js";

const document = createDocument();

function only(mark: Markish, options: PlotOptions = {}): TooltipMark {
  const [, tell] = extractTooltips([mark], () => Plot.plot({ ...options, document, marks: [mark] }));
  return tell()[0] as TooltipMark;
}

/** The values of a table at each mark, by column. */
function matches({ channels }: TooltipMark): Readonly<Record<string, readonly unknown[]>> {
  const cellAt =
    ({ is, texts }: TooltipChannel) =>
    (code: number) =>
      is ? is[code] : texts[code];
  return Object.fromEntries(
    channels.map((channel) => [channel.column ?? channel.label, channel.codes.map(cellAt(channel))]),
  );
}

const at = (text: string) => new Date(`${text}Z`);
const rows = [
  { at: at("2024-03-05T09:30:12.345"), Length: 1234.56789, Type: "feeder" },
  { at: at("2024-03-05T09:30:44"), Length: 1234.56788, Type: null },
  { at: at("2024-04-01T00:00:00"), Length: 50, Type: "string" },
];

describe("the value of a table at a mark", () => {
  it("is the exact value", () => {
    expect(matches(only(Plot.dot(rows, { x: "at", y: "Length", stroke: "Type" })))).toEqual({
      at: rows.map((row) => row.at.getTime()),
      Length: rows.map((row) => row.Length),
      Type: ["feeder", null, "string"],
    });
  });

  it("has its column, whatever the label of an axis", () => {
    const dates = [{ Date: at("2024-03-05T00:00:00"), n: 1 }];
    expect(matches(only(Plot.dot(dates, { x: "Date", y: "n" }), { y: { label: "Metres" } }))).toEqual({
      Date: [dates[0]?.Date.getTime()],
      n: ["1"],
    });
  });

  it("is an interval for a bin, and missing for computed values", () => {
    const bins = Plot.rectY(
      rows,
      Plot.binX({ y: "sum" }, { x: "Length", thresholds: [0, 100, 1500], ...{ y: "Length" } }),
    );
    const { channels } = only(bins);
    expect(channels.map(({ is }) => is)).toEqual([
      [
        [0, 100],
        [100, 1500],
      ],
      [],
    ]);
    const months = only(Plot.rectY(rows, Plot.binX({ y: "count" }, { x: "at", interval: "month" })));
    const [march, april, may] = ["2024-03-01", "2024-04-01", "2024-05-01"].map(Date.parse);
    expect(months.channels[0]).toMatchObject({
      label: "at",
      is: [
        [march, april],
        [april, may],
      ],
    });
  });

  it("is the group of a count or sum, not the sum", () => {
    const sums = only(Plot.barX([...rows, ...rows], Plot.groupY({ x: "sum" }, { x: "Length", y: "Type" })));
    expect(matches(sums)).toEqual({ Length: [undefined, undefined, undefined], Type: ["feeder", null, "string"] });
    const years = only(
      Plot.barY(
        [2023, 2024, 2024].map((Year) => ({ Year })),
        Plot.groupX({ y: "count" }, { x: "Year" }),
      ),
    );
    expect(matches(years)["Year"]).toEqual([2023, 2024]);
  });

  it("is the period of a date on an axis", () => {
    const bars = Plot.barY(rows, Plot.groupX({ y: "count" }, { x: "at" }));
    const { channels } = only(bars, { x: { interval: "month" } });
    expect(channels[0]?.is?.[0]).toEqual([Date.parse("2024-03-01"), Date.parse("2024-04-01")]);
  });

  it("is an interval for two numbers in the user's channel, with any format", () => {
    const tip = {
      format: { x: false, Length: ([from, to]: readonly number[]) => `from ${from}, below ${to}` },
    } as const;
    const channels = { Length: () => [0, 100] };
    const { channels: told } = only(Plot.dot([{ n: 1 }], { x: "n", channels, tip: tip as object }));
    expect(told).toEqual([
      { name: "Length", label: "Length", codes: [0], texts: ["from 0, below 100"], is: [[0, 100]] },
    ]);
  });

  it("is omitted if it equals the text", () => {
    const { channels } = only(Plot.barX([{ Status: "Open", n: 5 }], { x: "n", y: "Status" }));
    expect(channels.every((channel) => !("is" in channel) && !("column" in channel))).toBe(true);
  });
});
