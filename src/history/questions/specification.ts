import type { ColumnTable } from "arquero";
import type { Finding } from "../../core/finding.js";
import type { OptionRules } from "../../core/options.js";
import type { PastLayer } from "../../layer/past-layer.js";
import type { HistoryData } from "../cell/history-data.js";
import type { TimePoint } from "../time/valid-time.js";
import type { Question, QuestionData } from "./ask.js";

/** An argument before the options. The command line and the tools of assistants know how to ask for each but `table`. */
export type ArgumentName = "at" | "from" | "to" | "column" | "dates" | "value" | "table";

/** What is answered in memory. */
export interface MemoryAnswer {
  readonly table: ColumnTable;
  /** What to know of it, besides a time after the log was read. */
  readonly findings?: readonly Finding[];
}

/**
 * A question about time: the methods of `History` and `Questions`, the command line's options and the tools of assistants
 * are made from it. Its file also declares those methods for users, with their documentation.
 *
 * @typeParam Given its arguments and, behind them, its options
 * @typeParam Options what it takes as options
 */
export interface Specification<Given extends readonly unknown[] = readonly never[], Options extends object = object> {
  /** What it answers, in one sentence for people at a command line and for assistants. */
  readonly summary: string;
  readonly takes: readonly ArgumentName[];
  readonly options: OptionRules<Options>;
  /** The time that an answer is about; what comes after the log was read is said of it. */
  readonly time?: (...given: Given) => TimePoint | undefined;
  /** Whether its table is the layer as of that time, which its provenance tells then. */
  readonly isAsOf?: boolean;
  /** Whether its rows are features, so that charts may ask the history behind it. */
  readonly hasFeatures?: boolean;
  /** Properties of its table that are tables, too: `history.flow(…).cycles`. */
  readonly parts?: readonly string[];
  /** Properties of its table that are numbers or texts: `history.forecast(…).total`. */
  readonly facts?: readonly string[];
  readonly memory?: (data: HistoryData, ...given: Given) => MemoryAnswer;
  /** In place of a table, a whole layer. */
  readonly layer?: (data: HistoryData, ...given: Given) => PastLayer;
  /** Undefined where it is answered in memory alone. Options that are not given are none. */
  readonly engine?: (data: QuestionData, ...given: Required<Given>) => Question<ColumnTable>;
}

/** The tables that an answer has besides, by name. */
export function partTables(
  table: ColumnTable,
  { parts = [] }: Pick<Specification, "parts">,
): ReadonlyMap<string, ColumnTable> {
  return new Map(parts.map((name) => [name, Reflect.get(table, name) as ColumnTable]));
}

/** Defines a question, with the types of its arguments; the result has an `engine` if an engine answers it. */
export function specify<Given extends readonly unknown[], Options extends object>(
  specification: EngineSpecification<Given, Options>,
): EngineSpecification<Given, Options>;
export function specify<Given extends readonly unknown[], Options extends object>(
  specification: Specification<Given, Options>,
): Specification<Given, Options>;
export function specify(specification: Specification): Specification {
  return specification;
}

/** A question that an engine answers. */
export type EngineSpecification<Given extends readonly unknown[], Options extends object> = Specification<
  Given,
  Options
> &
  Required<Pick<Specification<Given, Options>, "engine">>;
