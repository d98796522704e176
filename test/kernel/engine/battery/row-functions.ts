import type { BatteryCase } from "./battery-case.js";

const table = 'const t = aq.table({ p: ["HIGH", "LOW", "URGENT"], title: ["box", "rod", "xy"], n: [1, 2, 3] });';
const type = "interface Row { p: string; title: string; n: number }";

/** Functions of rows, which may use what cells declare. */
export const rowFunctions: readonly BatteryCase[] = [
  [[`${type} ${table}`, 't.filter((d: Row) => ["HIGH", "URGENT"].includes(d.p)).numRows()'], "2"],
  [[`${type} ${table}`, 't.filter((d: Row) => d.title.includes("x")).array("n")'], "[ 1, 3 ]"],
  [[`${type} ${table}`, "const least = 1;", 't.filter((d: Row) => d.n > least).array("n")'], "[ 2, 3 ]"],
  [[`${type} ${table} const least = 1; t.filter((d: Row) => d.n > least).array("n")`], "[ 2, 3 ]"],
  [[`${type} ${table}`, "let max = 1; max = 2;", 't.filter((d: Row) => d.n > max).array("n")'], "[ 3 ]"],
  [
    [
      `${type} ${table}`,
      "function upper(text: string) { return text + '!'; }",
      't.derive({ u: (d: Row) => upper(d.p) }).get("u", 0)',
    ],
    "'HIGH!'",
  ],
  [[`${type} ${table}`, 't.derive({ off: (d: Row) => d.n - aq.op.mean(d.n) }).array("off")'], "[ -1, 0, 1 ]"],
  [
    [`${type} ${table}`, "const { op } = aq;", 't.derive({ off: (d: Row) => d.n - op.mean(d.n) }).array("off")'],
    "[ -1, 0, 1 ]",
  ],
  [
    [
      `${type} ${table}`,
      "const { op } = aq; const by = 2;",
      't.derive({ sum: (d: Row) => op.sum(d.n) }).derive({ off: (d: { sum: number }) => d.sum * by }).array("off")',
    ],
    "[ 12, 12, 12 ]",
  ],
  [
    [
      `${type} ${table}`,
      "const by = 2;",
      "t.params({ by }).rollup({ sum: (d: Row, $: { by: number }) => aq.op.sum(d.n * $.by) }).object()",
    ],
    "{ sum: 12 }",
  ],
  [[`${type} ${table}`, "const { mean } = aq.op;", 't.filter((d: Row) => d.n > mean(d.n)).array("n")'], "[ 3 ]"],
  [
    [`${type} ${table}`, "const order = ['LOW', 'HIGH'];", 't.orderby((d: Row) => order.indexOf(d.p)).array("n")'],
    "[ 3, 2, 1 ]",
  ],
  [[`${type} ${table}`, 't.groupby({ key: (d: Row) => d.title.includes("x") }).count().array("count")'], "[ 2, 1 ]"],
  [
    [
      "import { table, op } from 'arquero'; const u = table({ n: [1, 2, 3] });",
      "const least = 2;",
      "u.filter((d: { n: number }) => d.n >= least && [3].includes(d.n)).filter((d: { n: number }) => d.n >= op.min(d.n)).numRows()",
    ],
    "1",
  ],
  [
    [
      "import { aq as own } from 'siteframe/arquero'; own.table({ n: [1] }).filter((d: { n: number }) => [1].includes(d.n)).numRows()",
    ],
    "1",
  ],
];
