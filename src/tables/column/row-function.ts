/** A part of a text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A call of what may be one of Arquero's functions. */
export interface OpCall extends Span {
  readonly name: string;
  readonly callee: Span;
  readonly arguments: readonly Span[];
  /** Whether the text alone shows that it is: `op.mean(d.x)`, and not `mean(d.x)`, which may be the user's own. */
  readonly isSure: boolean;
  /** Whether it is about other rows too, so that Arquero alone can answer: aggregates, window functions. */
  readonly isOfTable: boolean;
  /** Whether it may be left out for a row. */
  readonly isConditional: boolean;
}

/** How a row is read: by the name of a column, or as a whole. */
export interface RowUse {
  /** 0 for the first row, 1 for the second. */
  readonly row: number;
  readonly column: string | undefined;
  readonly start: number;
}

export interface Named extends Span {
  readonly name: string;
}

/** A parameter that stands for a row, as names of columns may be written with it. */
export type RowParameter =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "pattern"; readonly aliases: ReadonlyMap<string, string> }
  | { readonly kind: "other" };

/** A comparison of a column with a value that is written there. */
export interface Comparison {
  readonly row: number;
  readonly column: string;
  readonly value: unknown;
}

/** What is known of Arquero's functions. */
export interface KnownOps {
  has(name: string): boolean;
  isOfTable(name: string): boolean;
}
