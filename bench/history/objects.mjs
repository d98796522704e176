/** A loop written by hand: records, grouped with a Map, the last one at or before a date for each cell. */
import { report } from "../programs.mjs";
import { CHANGES, cellHash, KEYS, makeLog, measure, ONE_DATE } from "./data.mjs";

const log = makeLog();
const records = Array.from({ length: CHANGES }, (_, change) => ({
  id: Array.from(log.idWords.subarray(4 * change, 4 * change + 4), (word) => word.toString(16).padStart(8, "0")).join(
    "",
  ),
  layer_feature_id: log.feature[change],
  property_key: KEYS[log.key[change]],
  new_value: log.value[change] || null,
  created_at: new Date(log.timeUs[change] / 1000).toISOString(),
}));
const asOf = await measure(() => grouped(new Date(ONE_DATE).toISOString()), 1);

let hash = 0;
for (const { layer_feature_id, property_key, new_value } of asOf.result.values()) {
  if (new_value !== null) hash += cellHash(layer_feature_id * KEYS.length + KEYS.indexOf(property_key), new_value);
}
report({ ms: { asOf: asOf.ms }, hash: { asOf: hash } });

function grouped(time) {
  const last = new Map();
  for (const record of records) {
    if (record.created_at > time) continue;
    const cell = `${record.layer_feature_id} ${record.property_key}`;
    const known = last.get(cell);
    if (!known || isLater(record, known)) last.set(cell, record);
  }
  return last;
}

function isLater(a, b) {
  return a.created_at > b.created_at || (a.created_at === b.created_at && a.id > b.id);
}
