import type { ColumnTable } from "arquero";
import { compareText } from "../../core/json.js";
import { toTable } from "../../tables/column/table.js";
import type { HistoryData } from "../cell/history-data.js";
import { type CauseTrees, causeTrees } from "../log/cause-trees.js";
import { type ChangeLog, NONE } from "../log/change-log.js";

/** What trees of causes are made of. */
export type CausesData = Pick<HistoryData, "features" | "log" | "names" | "columnOfKey">;

/** The changes that caused others or were caused, tree by tree, every change right above those that it caused. */
export function causes(data: CausesData): ColumnTable {
  const { features, log, names, columnOfKey } = data;
  const trees = causeTrees(log);
  const columnOf = (change: number) => columnOfKey[log.keyCodes[change] as number] ?? NONE;
  const rows = treeOrder(log, trees).filter((change) => columnOf(change) !== NONE);
  return toTable([
    ["root_change_id", rows.map((change) => rootId(log, trees.roots[change] ?? change))],
    ["change_id", rows.map((change) => log.ids.at(change))],
    ["depth", rows.map((change) => trees.depths[change])],
    ["id", rows.map((change) => features.base("id").at(log.rows[change] as number))],
    ["column", rows.map((change) => names[columnOf(change)])],
    ["value", rows.map((change) => log.values[log.valueCodes[change] as number])],
  ]);
}

function rootId({ ids, outsideCauses }: ChangeLog, root: number): string {
  return root >= 0 ? ids.at(root) : (outsideCauses[-2 - root] as string);
}

/** Changes of all trees: trees by the id of their root, each change before its effects, effects by id. */
function treeOrder(log: ChangeLog, trees: CauseTrees): readonly number[] {
  const effects = new Map<number, number[]>();
  trees.parents.forEach((parent, change) => {
    if (parent === NONE) return;
    const known = effects.get(parent);
    if (known) known.push(change);
    else effects.set(parent, [change]);
  });
  const roots = new Set(trees.cuts);
  for (const cause of effects.keys()) roots.add(cause < NONE ? cause : (trees.roots[cause] ?? cause));
  const ordered: number[] = [];
  const open = [...roots].sort((a, b) => compareText(rootId(log, b), rootId(log, a)));
  for (let change = open.pop(); change !== undefined; change = open.pop()) {
    if (change >= 0) ordered.push(change);
    for (const effect of (effects.get(change) ?? []).reverse()) open.push(effect);
  }
  return ordered;
}
