/** `history.joinAsOf()`: the table as it is, in no order, and each added value read into an array. */
import { table } from "arquero";
import { cellHash, KEYS, measure } from "../history/data.mjs";
import { report } from "../programs.mjs";
import { makeTable, ROWS } from "./data.mjs";
import { benchHistory } from "./own-history.mjs";

const { history, codeOf } = benchHistory();
const { feature, us } = makeTable();
const own = table({ feature, when_us: us });
const sorted = sortedTable();

const join = (rows, columns) => () => {
  const joined = history.joinAsOf(rows, { id: "feature", time: "when_us", columns });
  return columns.map((name) => joined.array(name));
};
const one = await measure(join(own, ["STATUS"]));
const five = await measure(join(own, KEYS));
const ordered = await measure(join(sorted.table, ["STATUS"]));
const orderedFive = await measure(join(sorted.table, KEYS));

report({
  ms: { one: one.ms, five: five.ms, sortedOne: ordered.ms, sortedFive: orderedFive.ms },
  hash: {
    one: hashOf(one.result, ["STATUS"]),
    five: hashOf(five.result, KEYS),
    sortedOne: hashOf(ordered.result, ["STATUS"], sorted.order),
    sortedFive: hashOf(orderedFive.result, KEYS, sorted.order),
  },
});

function sortedTable() {
  const order = Uint32Array.from({ length: ROWS }, (_, row) => row).sort((a, b) => us[a] - us[b] || a - b);
  const pick = (values) => values.map((_, place) => values[order[place]]);
  return { order, table: table({ feature: pick(feature), when_us: pick(us) }) };
}

function hashOf(columns, names, order) {
  let hash = 0;
  columns.forEach((values, place) => {
    const key = KEYS.indexOf(names[place]);
    values.forEach((value, row) => {
      const code = codeOf.get(value);
      if (code > 0) hash += cellHash((order ? order[row] : row) * KEYS.length + key, code);
    });
  });
  return hash;
}
