import type { Origin } from "../../../../core/origin.js";
import type { PropertyColumn } from "../../../../layer/property-columns.js";
import type { FeatureRows } from "../../../cell/feature-rows.js";
import type { Presence } from "../../../cell/present-rows.js";
import type { PlainPoint } from "../../../time/valid-time.js";
import type { Engine } from "../../engine/engine.js";
import type { ValueKind } from "../../sql/cell-values.js";
import type { Scope } from "../../sql/scope.js";
import type { Remembered } from "./remembered.js";

/** How much of the log is known. */
export interface LogExtent {
  /** Changes of the chosen columns whose time exists. */
  readonly changeCount: number;
  /** First and last time in the log, of any property, microseconds since 1970. */
  readonly firstUs: number;
  readonly lastUs: number;
}

/** Everything that answers are made from. */
export interface QuestionData {
  readonly engine: Engine;
  readonly scope: Scope;
  /** The features, in ascending order of id. */
  readonly features: FeatureRows;
  /** Row of each feature id. */
  readonly rowOf: ReadonlyMap<number, number>;
  /** The property columns that are asked about, in the layer's order. */
  readonly columns: readonly PropertyColumn[];
  readonly names: readonly string[];
  readonly extent: LogExtent;
  readonly origin: Origin;
  readonly timeZone: string;
  /** When the log was read, microseconds since 1970. */
  readonly readAtUs: number;
  /** The point up to which edits are known, where that is before the reading. */
  readonly knownUntil: PlainPoint | undefined;
  /** What is shown in place of a person; the person if undefined. */
  readonly pseudonym: ((user: number) => unknown) | undefined;
  /** What all values of a column are, by its place, as far as it was found out. */
  readonly kinds: Map<number, ValueKind>;
  /** Since when the features exist. */
  readonly presence: Remembered<Presence>;
}

/** How many changes there are in a scope's columns. */
export function changesOf({ columns }: Scope, changesByKey: ReadonlyMap<string, number>): number {
  return columns.flatMap(({ keys }) => keys).reduce((sum, key) => sum + (changesByKey.get(key) ?? 0), 0);
}
