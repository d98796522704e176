import { from } from "arquero";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { sampleCompany } from "../../../sample/sample-company.js";
import { inCourse, valueOrder } from "../../../src/history/order/legend-order.js";
import { fromRecords, type History, type Layer } from "../../../src/index.js";
import {
  aging,
  cumulativeFlow,
  type Figure,
  layerMap,
  mapAnimation,
  mapPanels,
  sCurve,
  survivalCurve,
  valueOverTime,
} from "../../../src/plot/index.js";
import { valueColours } from "../../../src/plot/values/palette.js";
import { randomRuns } from "../../support/random-runs.js";
import { change, dataset, definition, feature, uuid } from "../../support/records.js";

const label = fc.constantFrom("a", "b", "c", "d", "e");
const flows = fc.uniqueArray(fc.record({ from: label, to: label, count: fc.integer({ min: 1, max: 9 }) }), {
  selector: ({ from, to }) => from + to,
});

describe("the order of values", () => {
  it("never contradicts steps that occur in one direction only", () => {
    const forward = flows.map((all) => all.filter(({ from, to }) => from < to));
    fc.assert(
      fc.property(forward, (steps) => {
        const order = inCourse([], steps);
        for (const { from, to } of steps) expect(order.indexOf(from)).toBeLessThan(order.indexOf(to));
      }),
      { numRuns: randomRuns(300) },
    );
  });

  it("has every value once, also with circles in the log", () => {
    const counts = fc.array(
      fc.record({ time: fc.integer({ min: 0, max: 5 }), label, count: fc.integer({ min: 0, max: 5 }) }),
    );
    fc.assert(
      fc.property(counts, flows, (dated, steps) => {
        const all = new Set([...dated.map((one) => one.label), ...steps.flatMap(({ from, to }) => [from, to])]);
        expect([...inCourse(dated, steps)].sort()).toEqual([...all].sort());
      }),
    );
  });

  it("is the order of dates without steps", () => {
    const at = (time: number, value: string, count = 1) => ({ time, label: value, count });
    expect(inCourse([at(9, "late"), at(1, "early"), at(5, "b"), at(5, "a")], [])).toEqual(["early", "a", "b", "late"]);
  });
});

describe("the order of values without log and definition", () => {
  const columns = ["id", "geometry", "STATUS"];
  const shown = (...values: readonly string[]) => {
    const geometry = { type: "Point", coordinates: [0, 0] };
    const rows = values.map((STATUS, id) => ({ id, geometry: { ...geometry, coordinates: [id / 1000, 0] }, STATUS }));
    const scale = layerMap(from(rows, columns), "STATUS").scale("color");
    return Array.from(scale?.domain ?? [], String);
  };

  it("is the order of work for words of work", () => {
    expect(shown("RESOLVED", "BLOCKED", "CLOSED", "IN_PROGRESS", "OPEN")).toEqual([
      "OPEN",
      "IN_PROGRESS",
      "BLOCKED",
      "RESOLVED",
      "CLOSED",
    ]);
    expect(shown("Under review", "Completed", "Piles", "Planned", "On hold")).toEqual([
      "Planned",
      "Piles",
      "On hold",
      "Under review",
      "Completed",
    ]);
  });

  it("is the alphabet for other words", () => {
    expect(shown("civil", "safety", "electrical")).toEqual(["civil", "electrical", "safety"]);
  });
});

describe("the order of a road's values", () => {
  let roads: History;
  let punchList: History;
  let tickets: Layer;
  beforeAll(async () => {
    const company = sampleCompany();
    const records = {
      ...company,
      layerFeatures: [...company.layerFeatures()],
      propertyChanges: [...company.propertyChanges()],
    };
    const source = fromRecords(records, { readAt: new Date("2026-06-30T12:00:00Z") });
    roads = await source.history({ site_id: 103, semantic_type: "ROADS" });
    tickets = await source.layer({ site_id: 101, semantic_type: "PUNCH_LIST_ITEMS" });
    punchList = await tickets.history();
  });

  it("has the same colours on a map of a layer without log", () => {
    const colours = ({ scale }: Pick<Figure, "scale">) => {
      const { domain = [], range = [] } = { ...scale("color") };
      const colour = [...range];
      return Object.fromEntries(Array.from(domain, (label, index) => [label, colour[index]]));
    };
    const alone = colours(layerMap(tickets, "STATUS"));
    expect(Object.keys(alone)).toEqual(["OPEN", "IN_PROGRESS", "BLOCKED", "RESOLVED", "CLOSED"]);
    expect(colours(mapPanels(punchList, "STATUS", { dates: ["2026-06-30"] }))).toMatchObject(alone);
  });

  const stages = ["PLANNED", "CLEARED", "EARTHWORKS", "SUB_BASE", "BASE_COURSE", "SURFACED"];
  const halfYear = { from: "2026-01-01", until: "2026-06-30", every: "week" } as const;

  it("is the order of the work", () => {
    expect(valueOrder(roads, "STATUS").values.filter((value) => stages.includes(value))).toEqual(stages);
  });

  const months = ["2026-01-01", "2026-02-01", "2026-03-01"];

  it.each<[string, () => Pick<Figure, "scale">]>([
    ["some dates", () => cumulativeFlow(roads, "STATUS", { dates: halfYear })],
    ["intervals", () => valueOverTime(roads, "STATUS")],
    ["a map of a history", () => layerMap(roads, "STATUS")],
    ["a map of an early date", () => layerMap(roads.asOf("2025-06-30"), "STATUS")],
    ["a map of a late date", () => layerMap(roads.asOf("2026-06-30"), "STATUS")],
    ["a panel", () => cumulativeFlow(roads.panel(months), "STATUS")],
  ])("is the order of the work, with its colours, in a figure of %s", (_, draw) => {
    const whole = cumulativeFlow(roads, "STATUS").scale("color");
    const colours = draw().scale("color");
    const shown = Array.from(colours?.domain ?? [], String).filter((value) => stages.includes(value));
    expect(shown.length).toBeGreaterThan(1);
    expect(shown).toEqual(stages.filter((value) => shown.includes(value)));
    for (const value of shown) expect(colours?.apply(value)).toBe(whole?.apply(value));
  });

  it("is the order of groups: options of the definition, and priorities from the lowest", () => {
    const open = ["OPEN", "IN_PROGRESS", "BLOCKED"];
    const domainOf = (figure: Figure) => Array.from(figure.scale("color")?.domain ?? [], String);
    const orders = {
      Discipline: ["civil", "mechanical", "electrical", "safety", "documents"],
      PRIORITY: ["LOW", "MEDIUM", "HIGH", "URGENT"],
    };
    for (const [by, order] of Object.entries(orders)) {
      const spell = { start: "OPEN", done: "CLOSED", by, groupAt: "end" } as const;
      const figures = [
        aging(punchList, "STATUS", { open, by: [by], at: "2024-03-01" }),
        survivalCurve(punchList, "STATUS", spell),
      ];
      for (const figure of figures) {
        const shown = domainOf(figure).filter((label) => label !== "none" && label !== "unknown");
        expect(shown).toEqual(order.filter((label) => shown.includes(label)));
        expect(shown.length).toBeGreaterThan(2);
      }
    }
    const both = domainOf(aging(punchList, "STATUS", { open, by: ["Discipline", "PRIORITY"], at: "2024-03-01" }));
    const pairs = orders.Discipline.flatMap((one) => orders.PRIORITY.map((other) => `${one}, ${other}`));
    const named = both.filter((label) => pairs.includes(label));
    expect(named).toEqual(pairs.filter((label) => both.includes(label)));
    expect(named.length).toBeGreaterThan(3);
  });

  it("distinguishes processes and categories", () => {
    expect(valueOrder(roads, "STATUS").isProcess).toBe(true);
    expect(valueOrder(punchList, "STATUS").isProcess).toBe(true);
    for (const column of ["Discipline", "PRIORITY", "ASSIGNEE", "Title"]) {
      expect(valueOrder(punchList, column).isProcess).toBe(false);
    }
    const stateOf = (value: string) => cumulativeFlow(punchList, "STATUS").scale("color")?.apply(value);
    const places = valueOrder(punchList, "STATUS").places;
    const colours = valueColours(places, { isProcess: true }).range as readonly string[];
    for (const [at, value] of places.entries()) expect(stateOf(value)).toBe(colours[at]);
  });

  it("does not apply to other columns of such tables", () => {
    const colours = layerMap(roads.asOf("2026-06-30"), "visible_id").scale("color");
    expect(Array.from(colours?.domain ?? []).length).toBeGreaterThan(0);
  });
});

describe("the order of values with options in their definition", () => {
  const key = uuid(99);
  const codes = ["a", "b", "c", "d", "e", "f"];
  const months = Array.from({ length: 12 }, (_, month) => `2024-${String(month + 1).padStart(2, "0")}-15`);
  const steps = fc.array(
    fc.record({ id: fc.integer({ min: 1, max: 4 }), value: fc.constantFrom(...codes), month: fc.nat({ max: 10 }) }),
    { minLength: 3, maxLength: 15 },
  );

  async function sourceOf(options: readonly unknown[], log: readonly { id: number; value: string; month: number }[]) {
    const last = new Map<number, string>();
    const ordered = log.toSorted((a, b) => a.month - b.month);
    for (const { id, value } of ordered) last.set(id, value);
    return fromRecords(
      {
        datasets: [dataset(1)],
        propertyDefinitions: [definition(key, "Stage", { type: "OPTION", config: { options: [...options] } as never })],
        layerFeatures: [1, 2, 3, 4].map((id) =>
          feature(id, { properties: { [key]: last.get(id) ?? null }, created_at: "2023-12-01T00:00:00Z" }),
        ),
        propertyChanges: ordered.map(({ id, value, month }, n) => {
          const created_at = `${months[month]?.slice(0, 7)}-01T00:00:${String(n).padStart(2, "0")}Z`;
          return change(n + 1, { layer_feature_id: id, property_key: key, new_value: value, created_at });
        }),
      },
      { readAt: new Date("2024-12-31T00:00:00Z") },
    );
  }
  const query = { site_id: 12, semantic_type: "TRENCHES" };
  const shown = (figure: Pick<Figure, "scale">) =>
    Array.from(figure.scale("color")?.domain ?? [], String).filter((value) => codes.includes(value));

  it("is the definition's, then the log's, with one colour for each value", async () => {
    const window = fc.tuple(fc.nat({ max: 11 }), fc.nat({ max: 11 }));
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(codes), steps, window, async (options, log, [one, other]) => {
        const source = await sourceOf(
          options.map((value) => ({ value })),
          log,
        );
        const history = await source.history(query);
        const without = await (await sourceOf([], log)).history(query);
        const rest = valueOrder(without, "Stage").values.filter((value) => codes.includes(value));
        const expected = [...options, ...rest.filter((value) => !options.includes(value))];
        const dates = months.slice(Math.min(one, other), Math.max(one, other) + 1);
        const figures = [
          cumulativeFlow(history, "Stage", { dates }),
          valueOverTime(history, "Stage", { until: dates.at(-1) ?? "" }),
          mapPanels(history, "Stage", { dates }),
          layerMap(history, "Stage"),
          sCurve(history, "Stage", { dates }),
        ];
        const { isProcess } = valueOrder(history, "Stage");
        const colours = valueColours(expected, { isProcess }).range as readonly string[];
        for (const figure of figures) {
          const domain = shown(figure);
          expect(domain).toEqual(expected.filter((value) => domain.includes(value)));
          for (const value of domain) {
            expect(figure.scale("color")?.apply(value)).toBe(colours[expected.indexOf(value)]);
          }
        }
        const layer = await source.layer(query);
        const drawn = shown(layerMap(layer, "Stage")).filter((value) => options.includes(value));
        expect(drawn).toEqual(options.filter((value) => drawn.includes(value)));
      }),
      { numRuns: randomRuns(40) },
    );
  });

  const log = [
    { id: 1, value: "c", month: 0 },
    { id: 1, value: "a", month: 1 },
    { id: 2, value: "b", month: 2 },
    { id: 3, value: "f", month: 3 },
  ];

  it("reads options without labels, and labels of labelled values", async () => {
    const plain = await (await sourceOf(["b", "a", "c"], log)).history(query);
    const named = (values: readonly string[]) => values.filter((value) => value !== "unknown" && value !== "none");
    expect(named(valueOrder(plain, "Stage").values).slice(0, 4)).toEqual(["b", "a", "c", "f"]);
    const options = [
      { value: "b", label: "begun" },
      { value: "d" },
      { value: "a", label: "all done" },
      { value: "c", label: "checked" },
    ];
    const labelled = await (await sourceOf(options, log)).history(query, { optionLabels: true });
    expect(named(valueOrder(labelled, "Stage").values).slice(0, 4)).toEqual(["begun", "all done", "checked", "f"]);
    expect(named(valueOrder(labelled, "Stage").places).slice(0, 5)).toEqual(["begun", "d", "all done", "checked", "f"]);
    expect(mapAnimation(labelled, "Stage").toSVG()).toMatch(/begun.*all done.*f /s);
  });
});
