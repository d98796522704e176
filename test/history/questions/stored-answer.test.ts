import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type Engine,
  EngineError,
  fromRecords,
  type LazyHistory,
  type LazyTable,
  openSnapshot,
  pull,
  type Snapshot,
} from "../../../src/index.js";
import { site } from "../../snapshot/moving-service.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { duckdbRows } from "../../support/duckdb-rows.js";
import { openEngine } from "../../support/open-engine.js";
import { change, dataset, definition, feature, uuid } from "../../support/records.js";

const folder = temporaryFolder();
let count = 0;
const newPath = (name: string) => join(folder, `${++count}-${name}`);

/** The number of statements of each call of store(). */
type Stored = number[];

/** Questions about some features and changes, of an engine with memory for as many cells at once. */
async function asked(
  records: Omit<Parameters<typeof fromRecords>[0], "sites" | "datasets">,
  cellsAtOnce: number,
  use: (questions: LazyHistory, snapshot: Snapshot, stored: Stored, engine: Engine) => Promise<void>,
): Promise<void> {
  const path = newPath("company");
  await pull(fromRecords({ sites: [site(12)], datasets: [dataset(1)], ...records }), path, { showProgress: false });
  const snapshot = await openSnapshot(path);
  const opened = await openEngine(path);
  const stored: Stored = [];
  const engine: Engine = {
    ...opened,
    cellsAtOnce,
    store: (sql, target, options) => {
      const statements = typeof sql === "string" ? [sql] : [...sql];
      stored.push(statements.length);
      return opened.store(typeof sql === "string" ? sql : statements, target, options);
    },
  };
  try {
    await use(await snapshot.lazyHistory({ site_id: 12 }, { engine }), snapshot, stored, engine);
  } finally {
    await opened.close();
    await snapshot.close();
  }
}

async function copied(answer: LazyTable<unknown>) {
  const path = newPath("answer.parquet");
  await answer.writeTo(path);
  return duckdbRows(`FROM read_parquet('${path}')`);
}

const day = (n: number) => `2024-06-0${n}T00:00:00Z`;

describe("an answer that is stored in parts", () => {
  it("has late edits in order of insertion", async () => {
    const changes = [
      [1, 2, 4],
      [2, 1, 4],
      [3, 2, 2],
      [4, 1, 1],
      [5, 2, 3],
    ].map(([id = 0, layer_feature_id = 0, made = 0]) => change(id, { layer_feature_id, created_at: day(made) }));
    const records = { layerFeatures: [feature(1), feature(2)], propertyChanges: changes };
    await asked(records, 1, async (questions, _, stored) => {
      const { names, rows } = await copied(questions.lateEdits());
      expect(rows.map((row) => row[names.indexOf("change_id")])).toEqual([3, 4, 5].map((id) => uuid(id)));
      expect(stored).toEqual([2]);
    });
  });

  it("has sums of reconcile() over all features", async () => {
    const features = [1, 2, 3, 4].map((id) => feature(id, { properties: { STATUS: "DONE", AREA: id } }));
    const changes = [
      change(1, { layer_feature_id: 1, new_value: "DONE" }),
      change(2, { layer_feature_id: 2, new_value: "OPEN" }),
      change(3, { layer_feature_id: 3, new_value: "DONE", created_at: day(1) }),
      change(4, { layer_feature_id: 3, new_value: "OPEN", created_at: day(3) }),
      change(5, { layer_feature_id: 3, new_value: "DONE", created_at: day(2) }),
      change(6, { layer_feature_id: 4, property_key: "VOLUME", new_value: 1 }),
    ];
    await asked({ layerFeatures: features, propertyChanges: changes }, 1, async (questions, snapshot, stored) => {
      const history = await snapshot.history({ site_id: 12 });
      const { names, rows } = await copied(questions.reconcile());
      expect(names).toEqual(["column", "pairs", "valid", "insertion", "both", "neither"]);
      const numbers = rows.map(([name, ...counts]) => [name, ...counts.map(Number)]);
      expect(numbers).toEqual(
        history
          .reconcile()
          .objects()
          .map((row) => Object.values(row)),
      );
      expect(numbers).toContainEqual(["STATUS", 3, 1, 2, 1, 1]);
      expect(stored).toEqual([4]);
    });
  });

  it("has panels by date and feature, for any property names", async () => {
    const names = ["rowid", "asked", "f", "DATE"];
    const features = [1, 2, 3].map((id) =>
      feature(id, { properties: Object.fromEntries(names.map((name) => [name, 10 - id])) }),
    );
    for (const cellsAtOnce of [1, 1e6]) {
      await asked({ layerFeatures: features, propertyChanges: [] }, cellsAtOnce, async (questions, _, stored) => {
        const { rows } = await copied(questions.panel(["2024-06-02", "2024-06-01"]));
        expect(rows.map(([date, id]) => [date, Number(id)])).toEqual(
          ["2024-06-02", "2024-06-01"].flatMap((date) => [1, 2, 3].map((id) => [date, id])),
        );
        expect(stored).toEqual([cellsAtOnce === 1 ? 3 : 1]);
      });
    }
  });
});

describe("a stored answer", () => {
  it("has instants of a DATETIME in every form of ISO 8601, and null for other strings", async () => {
    const seen = uuid(1, "aaaaaaaa");
    const texts = ["2024-01-01T10:00:00.25Z", "2024-01-01 10:00-0130", "2024-01-01t24:00:00z", "10:00", 7];
    const records = {
      propertyDefinitions: [definition(seen, "Seen", { type: "DATETIME" })],
      layerFeatures: texts.map((text, n) => feature(n + 1, { properties: { [seen]: text } })),
      propertyChanges: [],
    };
    await asked(records, 1e6, async (questions) => {
      const path = newPath("answer.parquet");
      await questions.asOf("2024-06-30").writeTo(path);
      const { rows } = await duckdbRows(`SELECT epoch_ms("Seen") FROM read_parquet('${path}') ORDER BY id`);
      const ms = [Date.UTC(2024, 0, 1, 10, 0, 0, 250), Date.UTC(2024, 0, 1, 11, 30), Date.UTC(2024, 0, 2)];
      expect(rows.map(([value]) => (value === null ? null : Number(value)))).toEqual([...ms, null, null]);
    });
  });

  it("is refused for weights that exist in memory only", async () => {
    await asked(
      { layerFeatures: [feature(1, { properties: { STATUS: "OPEN" } })], propertyChanges: [] },
      1e6,
      async (questions) => {
        const asking = async () => await questions.counts("STATUS", ["2024-06-30"], { weight: "length" });
        await expect(asking()).rejects.toThrow('counts(): a weight by "length" needs a history in memory');
      },
    );
  });
});

describe("an answer that does not fit into memory", () => {
  const records = {
    layerFeatures: Array.from({ length: 40 }, (_, index) => feature(index + 1)),
    propertyChanges: [change(1)],
  };
  const shortStore = (stored: Stored, most: number): Engine["store"] => {
    return async (sql) => {
      const statements = typeof sql === "string" ? 1 : [...sql].length;
      stored.push(statements);
      if (statements < most) throw new EngineError("Out of memory.", "DuckDB", { problem: "memory" });
    };
  };

  it.each<[string, (questions: LazyHistory) => LazyTable<unknown>]>([
    ["asOf", (questions) => questions.asOf("2024-06-30")],
    ["lateEdits", (questions) => questions.lateEdits()],
    ["lateEntries", (questions) => questions.lateEntries()],
    ["reconcile", (questions) => questions.reconcile()],
    ["changes", (questions) => questions.changes()],
  ])("is stored in smaller parts: %s", async (_, ask) => {
    await asked(records, 80, async (__, snapshot, ___, engine) => {
      const tried: Stored = [];
      const short = { ...engine, store: shortStore(tried, 5) };
      const questions = await snapshot.lazyHistory({ site_id: 12 }, { engine: short });
      await ask(questions).writeTo("nowhere");
      expect(tried.slice(0, -1).every((parts) => parts < 5)).toBe(true);
      expect([tried[0], tried.length, new Set(tried).size]).toEqual([1, 3, 3]);
    });
  });

  it("is not asked for again without smaller parts", async () => {
    await asked(records, 1, async (__, snapshot, _, { cellsAtOnce, ...engine }) => {
      expect(cellsAtOnce).toBe(1);
      for (const cells of [undefined, 1]) {
        const tried: Stored = [];
        const short: Engine = {
          ...engine,
          ...(cells === undefined ? {} : { cellsAtOnce: cells }),
          store: shortStore(tried, Number.POSITIVE_INFINITY),
        };
        const questions = await snapshot.lazyHistory({ site_id: 12 }, { engine: short });
        await expect(questions.asOf("2024-06-30").writeTo("nowhere")).rejects.toMatchObject({ problem: "memory" });
        expect(tried).toHaveLength(1);
      }
    });
  });
});

describe("a stored answer by a property with the name of a column, in any case", () => {
  const keys = ["Date", "vaLue", "Sum", "state", "asked", "g"];
  const properties = (id: number) => Object.fromEntries(keys.map((key) => [key, `${key}${9 - id}`]));
  const records = {
    layerFeatures: [1, 2, 3].map((id) => feature(id, { properties: { VOLUME: id, ...properties(id) } })),
    propertyChanges: [],
  };
  const dates = ["2024-06-02", "2024-06-01"];

  it.each(keys)("has both columns for %s", async (by) => {
    await asked(records, 1e6, async (questions) => {
      const counts = await copied(questions.counts("VOLUME", dates, { by }));
      const totals = await copied(questions.totals("VOLUME", dates, { by }));
      const alike = (name: string) => name.toLowerCase() === by.toLowerCase();
      const expectedNames = (own: readonly string[]) => {
        if (!own.some(alike)) return ["date", by, ...own.slice(1)];
        if (own.includes(by)) return ["date", `properties.${by}`, ...own.slice(1)];
        const [date = "", ...others] = own.map((name) => (alike(name) ? `${name} (field)` : name));
        return [date, `${by} (built-in)`, ...others];
      };
      expect(counts.names).toEqual(expectedNames(["date", "state", "value", "count"]));
      expect(totals.names).toEqual(expectedNames(["date", "sum", "count", "unknown"]));
      const groups = dates.flatMap((date) => [3, 2, 1].map((id) => ({ date, id, group: `${by}${9 - id}` })));
      expect(counts.rows.map((row) => row.map(String))).toEqual(
        groups.map(({ date, id, group }) => [date, group, "unchanged", `${id}`, "1"]),
      );
      expect(totals.rows.map((row) => row.map(String))).toEqual(
        groups.map(({ date, id, group }) => [date, group, `${id}`, "1", "0"]),
      );
      const text = await questions.counts("VOLUME", dates, { by }).toSQL("trino");
      for (const name of counts.names) expect(text).toContain(`AS "${name}"`);
    });
  });
});

describe("an answer that is stored or written", () => {
  const records = {
    layerFeatures: [feature(1), feature(2)],
    propertyChanges: [change(1), change(2, { new_value: "DONE", created_at: day(2), caused_by_change_id: uuid(1) })],
  };
  const time = "2024-06-30";

  it("has the engine read the types of values once, for columns whose type depends on them", async () => {
    await asked(records, 1, async (_, snapshot, __, engine) => {
      const looked: string[] = [];
      const query: Engine["query"] = (sql, options) => {
        if (sql.includes("AS booleans")) looked.push(sql);
        return engine.query(sql, options);
      };
      const questions = await snapshot.lazyHistory({ site_id: 12 }, { engine: { ...engine, query } });
      const typeless = [
        questions.states(time),
        questions.diff("2024-06-01", time),
        questions.changes(),
        questions.lateEdits(),
        questions.causeTrees(),
        questions.reconcile(),
        questions.editsByUser(),
      ];
      for (const answer of typeless) {
        await answer.writeTo(newPath("typeless.parquet"));
        await answer.toSQL("trino");
      }
      expect(looked).toEqual([]);
      const typed = [questions.asOf(time), questions.panel([time]), questions.intervals("STATUS")];
      for (const answer of typed) await answer.writeTo(newPath("typed.parquet"));
      expect(looked).toHaveLength(1);
    });
  });
});
