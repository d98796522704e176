import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Dates,
  type Engine,
  EngineError,
  openSnapshot,
  type Params,
  type PlainPoint,
  type Snapshot,
} from "../../../src/index.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { writeSample } from "../../support/asked-sample.js";
import { duckdbRows } from "../../support/duckdb-rows.js";
import { openEngine } from "../../support/open-engine.js";
import { awaited, expectEngineAgreement, stored } from "../../support/question-agreement.js";
import type { QuestionDraw } from "../../support/question-calls.js";

const folder = temporaryFolder();
const path = join(folder, "sample.snapshot");
let snapshot: Snapshot;
let paths = 0;
const routes = { awaited, stored: stored(() => join(folder, `${++paths}.parquet`), duckdbRows) };

beforeAll(async () => {
  await writeSample(path, { features: 1000 });
  snapshot = await openSnapshot(path);
});

afterAll(() => snapshot.close());

const times: readonly PlainPoint[] = [
  "2024-06-30",
  "2025-03-30",
  "2025-10-26T00:59:59.999999Z",
  new Date("2026-01-01"),
  "2026-06-30",
];
const months: Dates = { from: "2023-01-31", until: "2026-06-30", every: "month" };

/** Questions about columns in turn, the same each time. */
function inTurn(columns: readonly string[]): QuestionDraw {
  let turn = 0;
  const next = <T>(of: readonly T[]): T => of[turn++ % of.length] as T;
  return {
    time: () => next(times),
    grid: () => months,
    column: () => next(columns),
    pick: (names) => next(names),
    flag: () => turn++ % 2 === 0,
  };
}

const scopes: readonly Params<"layerFeatures">[] = [
  { semantic_type: "PUNCH_LIST_ITEMS" },
  { semantic_type: "TRENCHES", site_id: 101 },
];

describe.each(scopes)("questions about %j of the sample company", (params) => {
  it("have the answers of a history, awaited and stored", async () => {
    const history = await snapshot.history(params, { timeZone: "Europe/Berlin" });
    await using questions = await snapshot.lazyHistory(params, { timeZone: "Europe/Berlin" });
    expect(history.length).toBeGreaterThan(50);
    await expectEngineAgreement(history, questions, inTurn(history.columns), routes);
  });

  it("have them in parts that fit into the engine's memory", async () => {
    const history = await snapshot.history(params);
    const engine = await openEngine(path);
    for (const cramped of [
      { ...engine, cellsAtOnce: 500 },
      { ...engine, cellsAtOnce: 1e6, query: inFits(engine) },
    ]) {
      const questions = await snapshot.lazyHistory(params, { engine: cramped });
      await expectEngineAgreement(history, questions, inTurn(history.columns), routes);
    }
    await engine.close();
  });
});

/** Queries of an engine whose memory does not take the cells of many features at once. */
function inFits(engine: Engine): Engine["query"] {
  return async function* (sql, options) {
    const [, first, last] = /layer_feature_id BETWEEN (\d+) AND (\d+)/.exec(sql) ?? [];
    const isByCell = /\b(cells|picks|lasts|compared) AS \(/.test(sql);
    if (isByCell && Number(last) - Number(first) > 300) {
      throw new EngineError("DuckDB ran out of memory.", "DuckDB", { problem: "memory" });
    }
    yield* engine.query(sql, options);
  };
}
