/** The library itself, over typed columns as its reader hands them over. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { historyFromLog } from "../../modules/history/build-history.js";
import { presence } from "../../modules/history/cell/present-rows.js";
import { ChangeIndex } from "../../modules/history/index/change-index.js";
import { report } from "../programs.mjs";
import {
  CHANGES,
  cellHash,
  END_MS,
  FEATURES,
  KEYS,
  MONTH_ENDS,
  measure,
  ONE_DATE,
  START_MS,
  THOUSAND,
} from "./data.mjs";
import { ownLog } from "./own-log.mjs";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");
const { log, input, codeOf } = ownLog();
const columnOfKey = Int32Array.from(KEYS.keys());
const createdUs = new Float64Array(FEATURES).fill(Date.UTC(2021, 5, 1) * 1000);
const index = await measure(() => {
  presence({ createdUs }, log);
  return new ChangeIndex(log, FEATURES, KEYS.length, columnOfKey);
});
const history = historyFromLog(input, log, { readAt: input.readAt, diagnostics: [], layerOf: (past) => past });
const runningBytes = keptBy(() => history.asOf(new Date(ONE_DATE)));
// A different date each time, so that only the index can help; the last one is also the date of the other engines.
const askedDates = [0.1, 0.9, 0.35, 0.65].map((part) => START_MS + part * (END_MS - START_MS)).concat(ONE_DATE);
let asked = 0;
const asOf = await measure(() => readValues(history.asOf(new Date(askedDates[asked++]))), askedDates.length);
const panelDates = MONTH_ENDS.map((ms) => new Date(ms));
const panel = await measure(() => history.panel({ dates: panelDates }, { columns: ["STATUS"] }));
const counts = await measure(() => history.counts("STATUS", { dates: THOUSAND.map((ms) => new Date(ms)) }));

const { result } = index;
const logBytes = [
  log.ids.words,
  log.rows,
  log.keyCodes,
  log.valueCodes,
  log.timesUs,
  log.system,
  log.userCodes,
  log.causes,
];
const perFeature = [new Float64Array(2 * FEATURES), new Int32Array(FEATURES)];
const indexBytes = [result.offsets, result.order, result.timesUs, result.valueCodes, result.byTime, ...perFeature];
const bytes = (arrays) => arrays.reduce((sum, { byteLength }) => sum + byteLength, 0) / CHANGES;
report({
  ms: { index: index.ms, asOf: asOf.ms, panel: panel.ms, counts: counts.ms },
  hash: {
    asOf: hashTable(asOf.result),
    panel: hashPanel(panel.result),
    counts: hashCounts(counts.result, THOUSAND),
  },
  bytesOfChange: bytes(logBytes) + bytes(indexBytes) + runningBytes / CHANGES,
});

/** Looks up each value of the properties once: until then a table only knows how many changes each cell has had. */
function readValues(table) {
  let count = 0;
  for (const name of KEYS) {
    const column = table.column(name);
    for (let row = 0; row < column.length; row += 1) if (column.at(row) !== null) count += 1;
  }
  if (count === 0) throw new Error("The table has no values.");
  return table;
}

/** Bytes of typed arrays that stay when the answer of a call is gone. */
function keptBy(run) {
  const before = arrayBytes();
  run();
  return arrayBytes() - before;
}

function arrayBytes() {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

/** Sum over the cells that the log decides; null and undecided cells differ only by state, so nulls are left out. */
function hashTable(table) {
  let hash = 0;
  KEYS.forEach((name, key) => {
    const column = table.column(name);
    for (let row = 0; row < column.length; row += 1) {
      const value = column.at(row);
      if (value !== null) hash += cellHash(row * KEYS.length + key, codeOf.get(value));
    }
  });
  return hash;
}

function hashPanel(table) {
  const [feature, date, column] = ["id", "date", "STATUS"].map((name) => table.column(name));
  const placeOf = new Map(panelDates.map((value, place) => [value, place]));
  let hash = 0;
  for (let row = 0; row < column.length; row += 1) {
    const value = column.at(row);
    if (value !== null) hash += cellHash((feature.at(row) - 1) * 36 + placeOf.get(date.at(row)), codeOf.get(value));
  }
  return hash;
}

function hashCounts(table, dates) {
  const placeOf = new Map(dates.map((date, place) => [Number(date), place]));
  let hash = 0;
  for (const { date, state, value, count } of table.objects({ limit: Infinity })) {
    if (state === "logged") hash += cellHash(placeOf.get(Number(date)) * 41 + codeOf.get(value), count);
  }
  return hash;
}
