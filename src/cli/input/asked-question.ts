import { type Command, Option } from "commander";
import type { Params } from "../../api/filters.js";
import { ArgumentError } from "../../core/errors.js";
import type { StepOptions } from "../../history/columns/step-order.js";
import type { Answer } from "../../history/questions/answer.js";
import type { Questions } from "../../history/questions/questions.js";
import type { DialectName } from "../../history/questions/sql/dialect/dialect.js";
import type { Grid } from "../../history/time/date-grid.js";
import type { Snapshot } from "../../snapshot/snapshot.js";
import { integerOption, integerOrNull, jsonOrText } from "./parameters.js";

/** What the options of a question say. */
export interface QuestionFlags {
  readonly siteId?: readonly (number | null)[];
  readonly operationId?: readonly (number | null)[];
  readonly datasetId?: readonly number[];
  readonly semanticType?: readonly (string | null)[];
  readonly at?: string;
  readonly column?: readonly string[];
  readonly date?: readonly string[];
  readonly from?: string;
  readonly to?: string;
  readonly every?: string;
  readonly by?: string;
  readonly until?: string;
  readonly order?: readonly unknown[];
  readonly unknown?: "null" | "backfill";
  readonly absent?: "drop" | "keep";
  readonly knownAt?: string;
}

type Flag = keyof QuestionFlags;

const layerFlags: readonly Flag[] = ["siteId", "operationId", "datasetId", "semanticType", "knownAt"];
const gridFlags: readonly Flag[] = ["date", "from", "to", "every"];

interface QuestionForm {
  /** The options that it takes besides those of every question. */
  readonly takes: readonly Flag[];
  ask(questions: Questions, flags: QuestionFlags): Answer<unknown>;
}

const forms: Readonly<Record<string, QuestionForm>> = {
  asOf: {
    takes: ["at", "column", "unknown", "absent"],
    ask: (questions, { at, column, unknown, absent }) =>
      questions.asOf(needed("asOf", "at", at), {
        ...(column && { columns: column }),
        ...(unknown && { unknown }),
        ...(absent && { absent }),
      }),
  },
  states: {
    takes: ["at", "absent"],
    ask: (questions, { at, absent }) => questions.states(needed("states", "at", at), { ...(absent && { absent }) }),
  },
  panel: {
    takes: ["column", ...gridFlags],
    ask: (questions, flags) =>
      questions.panel(gridOf("panel", flags), { ...(flags.column && { columns: flags.column }) }),
  },
  counts: {
    takes: ["column", "by", ...gridFlags],
    ask: (questions, flags) =>
      questions.counts(oneColumn("counts", flags), gridOf("counts", flags), { ...(flags.by && { by: flags.by }) }),
  },
  totals: {
    takes: ["column", "by", ...gridFlags],
    ask: (questions, flags) =>
      questions.totals(oneColumn("totals", flags), gridOf("totals", flags), { ...(flags.by && { by: flags.by }) }),
  },
  intervals: { takes: ["column"], ask: (questions, flags) => questions.intervals(oneColumn("intervals", flags)) },
  durations: {
    takes: ["column", "until"],
    ask: (questions, flags) =>
      questions.durations(oneColumn("durations", flags), { ...(flags.until && { until: flags.until }) }),
  },
  transitions: {
    takes: ["column", "order"],
    ask: (questions, flags) => questions.transitions(oneColumn("transitions", flags), orderOf(flags)),
  },
  steps: {
    takes: ["column", "order"],
    ask: (questions, flags) => questions.steps(oneColumn("steps", flags), orderOf(flags)),
  },
  diff: {
    takes: ["from", "to"],
    ask: (questions, { from, to }) => questions.diff(needed("diff", "from", from), needed("diff", "to", to)),
  },
  changes: { takes: [], ask: (questions) => questions.changes() },
  lateEdits: { takes: [], ask: (questions) => questions.lateEdits() },
  causes: { takes: [], ask: (questions) => questions.causes() },
  reconcile: { takes: [], ask: (questions) => questions.reconcile() },
  people: { takes: [], ask: (questions) => questions.people() },
};

/** The questions that can be asked by name. */
export const questionNames: readonly string[] = Object.keys(forms);

/** Adds the options of questions to a command. */
export function addQuestionOptions(command: Command): Command {
  const add = (flags: string, description: string) => command.addOption(optionOf(flags, description));
  const addList = <T>(flags: string, description: string, read: (text: string) => T) =>
    command.addOption(
      optionOf(flags, description).argParser<readonly T[]>((text, before = []) => [...before, read(text)]),
    );
  addList("--site-id <id...>", "sites of the features; null for none", integerOrNull);
  addList("--operation-id <id...>", "operations of the features; null for none", integerOrNull);
  addList("--dataset-id <id...>", "datasets of the features", integerOption(0, Number.MAX_SAFE_INTEGER));
  addList("--semantic-type <type...>", "semantic types of the features; null for none", textOrNull);
  add("--at <time>", "asOf, states: a calendar date, which includes the whole day, or an instant with its zone");
  add("--column <name...>", "property columns: any number for asOf and panel, otherwise one");
  add("--date <time...>", "panel, counts, totals: the dates");
  add("--from <time>", "the same as steps: the first date; diff: the earlier time");
  add("--to <time>", "the last date; diff: the later time");
  add("--every <step>", "from one date to the next: day, week, month, quarter, year, or an ISO duration (P14D)");
  add("--by <name>", "counts, totals: a base field or a property to group by");
  add("--until <time>", "durations: where stretches that still hold are cut");
  addList("--order <value...>", "transitions, steps: the values from first to last, or options", orderValue);
  command.addOption(
    optionOf("--unknown <how>", "asOf: what stands where all changes are later").choices(["null", "backfill"]),
  );
  command.addOption(
    optionOf("--absent <how>", "asOf, states: features that did not exist yet").choices(["drop", "keep"]),
  );
  return add("--known-at <point>", "only what was known then: a time, or the id of a change");
}

function textOrNull(text: string): string | null {
  return text === "null" ? null : text;
}

/** Texts that are JSON are what they mean: `null`, `3`, `"3"`. */
function orderValue(text: string): unknown {
  return jsonOrText(text, "--order", (value) => `--order '${value}'`);
}

function optionOf(flags: string, description: string): Option {
  return new Option(flags, description).helpGroup("Options of questions:");
}

/**
 * The text of a question about a snapshot.
 *
 * @throws ArgumentError for options that it does not take, and without those that it needs
 */
export async function questionText(
  snapshot: Snapshot,
  name: string,
  flags: QuestionFlags,
  { timeZone, dialect }: { readonly timeZone?: string | undefined; readonly dialect: DialectName },
): Promise<string> {
  const form = forms[name];
  if (!form) throw new TypeError(`no question is called ${name}`);
  refuseFlags(name, [...layerFlags, ...form.takes], flags);
  const { siteId, operationId, datasetId, semanticType, knownAt } = flags;
  const params: Params<"layerFeatures"> = {
    ...(siteId && { site_id: siteId }),
    ...(operationId && { operation_id: operationId }),
    ...(datasetId && { dataset_id: datasetId }),
    ...(semanticType && { semantic_type: semanticType }),
  };
  const questions = await snapshot.questions(params, { ...(timeZone !== undefined && { timeZone }) });
  try {
    const known = knownAt === undefined ? questions : await questions.knownAt(knownAt);
    return await form.ask(known, flags).sql(dialect);
  } finally {
    await questions.close();
  }
}

/** @throws ArgumentError for options of questions that something does not take */
export function refuseFlags(name: string, takes: readonly string[], flags: QuestionFlags): void {
  const known: readonly string[] = [...layerFlags, ...Object.values(forms).flatMap((form) => form.takes)];
  const refused = Object.keys(flags).find((flag) => known.includes(flag) && !takes.includes(flag));
  if (refused === undefined) return;
  throw new ArgumentError(`${name} takes no ${written(refused)}.`, {
    hint:
      takes.length > 0 ? `It takes: ${takes.map(written).join(", ")}.` : `Questions do: ${questionNames.join(", ")}.`,
    facts: { option: refused },
  });
}

function needed(question: string, flag: Flag, value: string | undefined): string {
  if (value !== undefined) return value;
  throw new ArgumentError(`${question} needs ${written(flag)}.`, { facts: { option: flag } });
}

function oneColumn(question: string, { column = [] }: QuestionFlags): string {
  const [only] = column;
  if (only !== undefined && column.length === 1) return only;
  throw new ArgumentError(`${question} needs --column with one name.`, { facts: { option: "column" } });
}

function orderOf({ order }: QuestionFlags): StepOptions {
  if (!order) return {};
  return { order: order.length === 1 && order[0] === "options" ? "options" : order };
}

function gridOf(question: string, { date, from, to, every }: QuestionFlags): Grid {
  if (date && from === undefined && to === undefined && every === undefined) return date;
  if (!date && from !== undefined && to !== undefined && every !== undefined) return { from, to, every };
  throw new ArgumentError(`${question} needs dates: --date, or --from, --to and --every.`, {
    facts: { option: date ? "from" : "date" },
  });
}

/** As it is written on the command line. */
function written(flag: string): string {
  return `--${flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
