import { basename } from "node:path";

/** The order in which the example notebooks are read: first steps, questions, looking back, other tools, one's own data. */
const order = [
  "quickstart",
  "punch-list",
  "construction-progress",
  "anomalies-across-captures",
  "what-did-we-know",
  "audit",
  "offline",
  "danfo",
  "your-own-site",
];

/** Names of notebook files in the order of the guide; others come last, by name. */
export function orderNotebooks(names: readonly string[]): readonly string[] {
  const place = (name: string) => {
    const found = order.indexOf(basename(name, ".ipynb"));
    return found < 0 ? order.length : found;
  };
  return [...names].sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1));
}
