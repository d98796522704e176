import type { ResolvedFilters } from "../../../../api/params.js";
import type { Dialect } from "../dialect/dialect.js";

/** A property column as statements see it. */
export interface ScopeColumn {
  readonly name: string;
  /** The property keys whose values it holds, canonical. Of a feature's present values the first that there is counts. */
  readonly keys: readonly string[];
}

/** What a logged or present value of a key is replaced with. Values are canonical JSON texts. */
export interface ScopeLabel {
  readonly key: string;
  readonly value: string;
  readonly label: string;
}

/** What statements are about: which features, which properties of theirs, and how much of the log is known. */
export interface Scope {
  readonly dialect: Dialect;
  /** What selects the features. */
  readonly filters: ResolvedFilters;
  /** Datasets whose features are not among the layer features. */
  readonly hiddenDatasets: readonly number[];
  /** The sites by whose parts the changes of the features are kept; any if undefined. A feature may have moved. */
  readonly logSites: readonly (number | null)[] | undefined;
  /** Whether the features are so few of all that their changes should be looked for. */
  readonly isNarrow: boolean;
  /** First and last id of the features that a statement is about; all of them if undefined. */
  readonly ids: readonly [first: number, last: number] | undefined;
  readonly columns: readonly ScopeColumn[];
  readonly labels: readonly ScopeLabel[];
  /** Id of the last change that is known; all are if undefined. */
  readonly knownUpTo: string | undefined;
}
