import { table } from "arquero";
import { afterEach, describe, expect, test } from "vitest";
import { linkViews } from "../../../src/notebook/widget/index.js";
import { Plot, plot } from "../../../src/plot/index.js";
import { displaySymbol, type MimeBundle } from "../../../src/tables/display/mime-bundle.js";
import { framePageOf } from "../../tables/display/frame-facts.js";
import { AskingKernel } from "./fake-kernel.js";

const rows = table({
  id: Array.from({ length: 30 }, (_, row) => 100 + row),
  Status: Array.from({ length: 30 }, (_, row) => (row % 3 === 0 ? "Open" : "Closed")),
});
const bars = plot({ marks: [Plot.barX(rows, Plot.groupY({ x: "count" }, { y: "Status", tip: true }))] });

let kernel: AskingKernel | undefined;
afterEach(() => {
  kernel?.close();
  kernel = undefined;
});

function links(html: unknown): readonly unknown[] {
  const frames = String(html).match(/srcdoc="[^"]*"/g) ?? [];
  return frames.map((frame) => {
    const [, json = ""] = /<script id="link" type="application\/json">(.*?)<\/script>/.exec(framePageOf(frame)) ?? [];
    return JSON.parse(json);
  });
}

describe("linked views", () => {
  test("have a common name and key, which depend on the content", async () => {
    const show = async (shown = rows) => links((await linkViews({ bars, table: shown })[displaySymbol]())["text/html"]);
    const [first, second] = await show();
    expect(first).toEqual({ group: expect.stringMatching(/^[0-9a-f]{32}$/), key: expect.stringMatching(/^.{24}$/) });
    expect(second).toEqual(first);
    expect(await show()).toEqual([first, second]);
    expect(await show(rows.slice(0, 20))).not.toEqual([first, second]);
  });

  test("can be shown separately, and have a description", async () => {
    const { views, ...all } = linkViews({ bars, table: rows });
    const one = async (view: { [displaySymbol](): unknown }) =>
      links(((await view[displaySymbol]()) as MimeBundle)["text/html"]);
    const [bar, grid] = [await one(views.bars), await one(views.table)];
    expect(bar).toHaveLength(1);
    expect(bar).toEqual(grid);
    expect(all).toBeDefined();
    const { "text/plain": text } = await linkViews({ bars, table: rows })[displaySymbol]();
    expect(text).toContain("Status");
  });

  test("return the selection to the kernel", async () => {
    kernel = new AskingKernel();
    const both = linkViews({ bars, table: rows });
    expect([both.ids, both.table.numRows()]).toEqual([[], 0]);
    const { "text/html": html } = await both[displaySymbol]();
    expect(links(html)).toEqual([expect.objectContaining({ table: "the selection" }), expect.anything()]);
    kernel.ask({ ids: ["103", "100", "100", "999", "no id"] });
    expect(both.ids).toEqual([100, 103]);
    expect(both.table.objects()).toEqual([
      { id: 100, Status: "Open" },
      { id: 103, Status: "Open" },
    ]);
    kernel.ask({ ids: [] });
    expect(both.ids).toEqual([]);
    for (const ids of [undefined, "100", [100], [["100"]], { length: 1 }]) {
      expect(() => kernel?.ask({ ids })).toThrow("The selection must be a list of ids.");
    }
  });

  test("run a function with the selection", async () => {
    kernel = new AskingKernel();
    const ran: unknown[] = [];
    const both = linkViews({ bars, table: rows }, ({ ids }) => {
      ran.push(ids);
      return `${ids.length} of them`;
    });
    const { "text/html": html } = await both[displaySymbol]();
    expect(ran).toEqual([[]]);
    expect(html).toContain("0 of them");
    const [opened] = kernel.sent;
    expect(opened?.data["state"]).toMatchObject({ kind: "linked", head: expect.stringContaining("siteframe-view") });
    kernel.ask({ ids: ["101"] });
    await expect
      .poll(() => kernel?.messages(opened?.id ?? "").map(({ state }) => Object(state).html))
      .toContainEqual(expect.stringContaining("1 of them"));
    expect(ran).toEqual([[], [101]]);
  });

  test("are live with an empty table or a few rows", async () => {
    for (const count of [0, 1, 6]) {
      const { "text/html": html } = await linkViews({ bars, table: rows.slice(0, count) })[displaySymbol]();
      expect(links(html)).toHaveLength(2);
    }
  });

  test("show the selection of the result without a kernel, and no advice to install", async () => {
    const views = linkViews({ bars, table: rows }, ({ ids }) => `${ids.length} of them`);
    const { "text/html": html, "text/plain": text } = await views[displaySymbol]();
    for (const shown of [String(html), String(text)]) {
      expect(shown).toContain("With nothing selected when the page was saved");
      expect(shown).not.toMatch(/0 selected|pip install/);
    }
  });

  test("need a table with ids, and figures", () => {
    expect(() => linkViews({ bars } as never)).toThrow(
      "linkViews(): table must be a layer or an Arquero table, got undefined.",
    );
    expect(() => linkViews({ table: rows.select("Status") })).toThrow('the table has no column "id". Columns: Status.');
    expect(() => linkViews({ bars: 3 as never, table: rows })).toThrow("linkViews(): bars must be a figure, got 3.");
    expect(() => linkViews({ table: rows }, 3 as never)).toThrow("linkViews() needs a function, got 3.");
  });
});
