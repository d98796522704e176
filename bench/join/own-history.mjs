import { historyFromLog } from "../../dist/history/build-history.js";
import { narrowCodes } from "../../dist/history/log/change-log.js";
import { UuidColumn } from "../../dist/history/log/uuid-column.js";
import { CHANGES, FEATURES, KEYS, makeLog, VALUES } from "../history/data.mjs";
import { textOf } from "./data.mjs";

/** A history of the log, over typed columns as the library's reader hands them over. */
export function benchHistory() {
  const raw = makeLog();
  const values = Array.from({ length: VALUES + 1 }, (_, code) => textOf(code));
  const ids = Int32Array.from({ length: FEATURES }, (_, row) => row + 1);
  const created = new Array(FEATURES).fill("2021-06-01T00:00:00Z");
  const log = {
    length: CHANGES,
    ids: new UuidColumn(raw.idWords),
    rows: raw.feature,
    keyCodes: raw.key,
    keys: KEYS,
    valueCodes: narrowCodes(raw.value, values.length),
    values,
    timesUs: raw.timeUs,
    system: new Uint8Array(CHANGES),
    userCodes: raw.user,
    users: Array.from({ length: 50 }, (_, n) => n),
    causes: new Int32Array(CHANGES).fill(-1),
    outsideCauses: [],
  };
  const base = [
    ["id", ids],
    ["visible_id", ids],
    ["created_at", created],
    ["updated_at", created],
  ];
  const input = {
    features: {
      rowCount: FEATURES,
      base: new Map(base),
      properties: new Map(KEYS.map((key) => [key, new Array(FEATURES).fill(null)])),
    },
    definitions: [],
    datasets: [],
    layoutDatasetIds: [],
    origin: { kind: "memory", name: "bench" },
    readAt: Date.UTC(2025, 0, 2),
    findings: [],
    options: { duplicateNames: "merge", optionLabels: false },
  };
  const history = historyFromLog(input, log, { readAt: input.readAt, findings: [] });
  return { history, codeOf: new Map(values.map((value, code) => [value, code])) };
}
