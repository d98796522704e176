import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sampleCompany } from "../../../sample/sample-company.js";
import { fromRecords } from "../../../src/source/from-records.js";
import { findPython } from "../../support/python.js";
import { rowsOf } from "../small-history.js";

const python = findPython("pm4py,pandas");
const ends = { start: ["IN_PROGRESS"], done: ["CLOSED"] };
const open = ["OPEN", "IN_PROGRESS", "BLOCKED"];

describe.runIf(python)("tickets in pm4py and pandas", () => {
  it("take as long, come and go as often, and are as old", async () => {
    const company = sampleCompany();
    const [features, changes] = [[...company.layerFeatures()], [...company.propertyChanges()]];
    const source = fromRecords(
      {
        datasets: company.datasets,
        propertyDefinitions: company.propertyDefinitions,
        layerFeatures: features,
        propertyChanges: changes,
      },
      { readAt: new Date("2026-06-30T00:00:00Z") },
    );
    const history = await source.history({ semantic_type: "PUNCH_LIST_ITEMS" }, { columns: ["STATUS"] });
    const from = "2023-01-02";
    const at = "2026-03-31T00:00:00Z";
    const flow = history.flow("STATUS", { ...ends, from });
    const tickets = features.filter(({ semantic_type }) => semantic_type === "PUNCH_LIST_ITEMS");
    const input = {
      ...ends,
      open,
      ...{ at, from, weeks: flow.numRows() },
      changes: rowsOf(history.changes()).map((row) => ({
        id: row["id"],
        time: row["created_at_us"],
        value: row["value"],
      })),
      created: tickets.map(({ id, created_at }) => ({ id, time: Date.parse(created_at) * 1000 })),
    };
    const script = join(import.meta.dirname, "python", "tickets.py");
    const printed = execFileSync(python?.program ?? "", [script], {
      input: JSON.stringify(input),
      encoding: "utf8",
      stdio: "pipe",
    });
    const found = JSON.parse(printed.trim().split("\n").at(-1) ?? "") as Readonly<Record<string, readonly number[]>>;
    const close = (numbers: Iterable<unknown>) =>
      Array.from(numbers, (one) => expect.closeTo(Number(one), 8) as unknown);
    const first = rowsOf(flow.cycles).filter((row) => row["times_done"] === 1);
    expect(first.length).toBeGreaterThan(100);
    const lead = first.map((row) => Number(row["lead_days"])).sort((a, b) => a - b);
    expect(found["lead"]).toEqual(close(lead));
    expect(found["cycles"]).toBe(flow.percentiles.get("cycles", 0));
    const percentiles = ["p50_days", "p85_days", "p95_days"].map((name) => flow.percentiles.get(name, 0) as unknown);
    expect(found["cycle"]).toEqual(close(percentiles));
    expect(found["arrivals"]).toEqual(Array.from(flow.array("arrivals")));
    expect(found["throughput"]).toEqual(Array.from(flow.array("throughput")));
    const old = history.ageing("STATUS", { open, at });
    expect(found["ages"]).toEqual(close(old.items.array("age_days")));
    expect(found["buckets"]).toEqual(
      rowsOf(old)
        .slice(0, 4)
        .map((row) => row["count"]),
    );
  });
});
