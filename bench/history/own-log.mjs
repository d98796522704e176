import { narrowCodes, UuidColumn } from "../../modules/history/log/change-log.js";
import { CHANGES, FEATURES, KEYS, makeLog, VALUES } from "./data.mjs";

/** The log over typed columns as the library's reader hands them over, and the layer that it belongs to. */
export function ownLog() {
  const raw = makeLog();
  const values = [null, ...Array.from({ length: VALUES }, (_, n) => `value ${n + 1}`)];
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
    diagnostics: [],
    options: { duplicateNames: "merge", optionLabels: false },
  };
  return { log, input, codeOf: new Map(values.map((value, code) => [value, code])) };
}
