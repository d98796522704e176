import { type ChangeLog, NONE } from "./change-log.js";

/** The trees of changes and their causes. */
export interface CauseTrees {
  /** Index of each change's first cause; below `NONE`, as in `ChangeLog.causes`, if it is not in the log. */
  readonly roots: Int32Array;
  /** Steps from the root. */
  readonly depths: Int32Array;
  /** Cause of each change, cycles cut. */
  readonly parents: Int32Array;
  /** First inserted change of each cycle, whose cause was removed. */
  readonly cuts: readonly number[];
}

/** Follows the causes of every change up to their roots. */
export function causeTrees(log: ChangeLog): CauseTrees {
  const parents = log.causes.slice();
  const cuts = cutCycles(parents);
  const roots = new Int32Array(log.length);
  const depths = new Int32Array(log.length).fill(NONE);
  for (let change = 0; change < log.length; change += 1) {
    const path: number[] = [];
    let top = change;
    while (top >= 0 && depths[top] === NONE) {
      path.push(top);
      top = parents[top] as number;
    }
    for (const next of path.reverse()) {
      const parent = parents[next] as number;
      roots[next] = parent === NONE ? next : parent < NONE ? parent : (roots[parent] ?? next);
      depths[next] = parent === NONE ? 0 : parent < NONE ? 1 : (depths[parent] as number) + 1;
    }
  }
  return { roots, depths, parents, cuts };
}

/** Cuts every cycle at its first change, which becomes a root. */
function cutCycles(parents: Int32Array): number[] {
  const cuts: number[] = [];
  const seenFrom = new Int32Array(parents.length).fill(NONE);
  for (let change = 0; change < parents.length; change += 1) {
    let top = change;
    while (top >= 0 && seenFrom[top] === NONE) {
      seenFrom[top] = change;
      top = parents[top] as number;
    }
    if (top < 0 || seenFrom[top] !== change) continue;
    const first = firstOfCycle(top, parents);
    parents[first] = NONE;
    cuts.push(first);
  }
  return cuts.sort((a, b) => a - b);
}

function firstOfCycle(member: number, parents: Int32Array): number {
  let first = member;
  for (let next = parents[member] ?? member; next !== member; next = parents[next] ?? member) {
    first = Math.min(first, next);
  }
  return first;
}
