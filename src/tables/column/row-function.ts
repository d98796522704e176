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

/** What the text of a function of rows, or of an expression, says of it. Places are places in `text`. */
export interface RowFunction {
  readonly text: string;
  readonly isFunction: boolean;
  /** Asynchronous functions and generators answer no row. */
  readonly isPlain: boolean;
  /** Whether Arquero compiles it as it is, whatever the table. */
  readonly isSimple: boolean;
  readonly rows: readonly RowParameter[];
  /** The name of the parameter with the table's parameters; undefined if it is taken apart. */
  readonly parameter: { readonly name: string | undefined } | undefined;
  readonly parameters: Span | undefined;
  /** Where something begins that Arquero refuses, or compiles to something else than what it is in JavaScript. */
  readonly odd: readonly number[];
  /** Names that are neither declared here nor known to Arquero. */
  readonly free: readonly Named[];
  /** Names of constants that Arquero knows, and that JavaScript does not: `PI`. */
  readonly constants: readonly Named[];
  /** What stands before `.op`, or `op` itself. */
  readonly opNames: ReadonlySet<string>;
  readonly calls: readonly OpCall[];
  readonly locals: readonly Named[];
  readonly uses: readonly RowUse[];
  readonly usesParameters: boolean;
  /** Comparisons of a column with a value that is written there, which Arquero makes of keys where a column has some. */
  readonly comparisons: readonly {
    readonly row: number;
    readonly column: string;
    readonly operator: string;
    readonly value: unknown;
  }[];
}

/** What is known of Arquero's functions. */
export interface KnownOps {
  has(name: string): boolean;
  isOfTable(name: string): boolean;
}
