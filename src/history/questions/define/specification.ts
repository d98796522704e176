import type { ColumnTable } from "arquero";
import type { Diagnostic } from "../../../core/diagnostic.js";
import type { OptionRules } from "../../../core/options.js";
import type { PastLayer } from "../../../layer/build-layer.js";
import type { HistoryData } from "../../cell/history-data.js";
import type { TimePoint } from "../../time/valid-time.js";
import type { Question, QuestionData } from "../engine/query-in-batches.js";

/** An argument before the options. The command line and the tools of assistants support all except `table`. */
export type ArgumentName = "at" | "from" | "until" | "column" | "dates" | "value" | "table";

/** An answer computed in memory. */
export interface MemoryAnswer {
  readonly table: ColumnTable;
  /** Diagnostics about it, besides those for a time after the log was read. */
  readonly diagnostics?: readonly Diagnostic[];
}

/**
 * Specification of a question about time. The methods of `History` and `LazyHistory`, the options of the command line and
 * the tools of assistants are generated from it. Its file also declares the methods for users, with their
 * documentation.
 *
 * @typeParam Given the arguments followed by the options
 * @typeParam Options the options
 */
export interface Specification<Given extends readonly unknown[] = readonly never[], Options extends object = object> {
  /** Description in one sentence, for the command line and for assistants. */
  readonly summary: string;
  readonly takes: readonly ArgumentName[];
  readonly options: OptionRules<Options>;
  /** The time of the answer; a diagnostic reports a time after the log was read. */
  readonly time?: (...given: Given) => TimePoint | undefined;
  /** Whether the table is the layer as of that time, which is then part of its provenance. */
  readonly isAsOf?: boolean;
  /** Whether its rows are features, so that charts may use the history behind it. */
  readonly hasFeatures?: boolean;
  /** Properties of its table that are tables, too: `history.flow(…).cycles`. */
  readonly parts?: readonly string[];
  /** Properties of its table that are numbers or strings: `history.forecast(…).total`. */
  readonly facts?: readonly string[];
  readonly memory?: (data: HistoryData, ...given: Given) => MemoryAnswer;
  /** Returns a whole layer instead of a table. */
  readonly layer?: (data: HistoryData, ...given: Given) => PastLayer;
  /** Undefined if the question is only answered in memory. Options that are not given are empty. */
  readonly engine?: (data: QuestionData, ...given: Required<Given>) => Question<ColumnTable>;
}

/** The further tables of an answer, by name. */
export function partTables(
  table: ColumnTable,
  { parts = [] }: Pick<Specification, "parts">,
): ReadonlyMap<string, ColumnTable> {
  return new Map(parts.map((name) => [name, Reflect.get(table, name) as ColumnTable]));
}

/** Defines a question, with the types of its arguments. The result has an `engine` if engines support it. */
export function specify<Given extends readonly unknown[], Options extends object>(
  specification: EngineSpecification<Given, Options>,
): EngineSpecification<Given, Options>;
export function specify<Given extends readonly unknown[], Options extends object>(
  specification: Specification<Given, Options>,
): Specification<Given, Options>;
export function specify(specification: Specification): Specification {
  return specification;
}

/** A question that engines support. */
export type EngineSpecification<Given extends readonly unknown[], Options extends object> = Specification<
  Given,
  Options
> &
  Required<Pick<Specification<Given, Options>, "engine">>;
