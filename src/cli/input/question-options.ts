import { readFileSync } from "node:fs";
import { type Command, Option } from "commander";
import type { Params } from "../../api/filters.js";
import { ArgumentError, FileError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";
import type { LazyTable } from "../../history/lazy/lazy-table.js";
import {
  argumentsOf,
  askByName,
  engineQuestions,
  givenNames,
} from "../../history/questions/define/question-methods.js";
import type { Specification } from "../../history/questions/define/specification.js";
import type { DialectName } from "../../history/questions/sql/dialect/dialect.js";
import type { Snapshot } from "../../snapshot/snapshot.js";
import { integerOption, integerOrNull, jsonOrText } from "./parameters.js";
import { type GivenSite, siteIds, siteOption } from "./source-option.js";

/** Values of the options of a question. */
export interface QuestionFlags {
  readonly site?: readonly GivenSite[];
  readonly operationId?: readonly (number | null)[];
  readonly datasetId?: readonly number[];
  readonly semanticType?: readonly (string | null)[];
  readonly at?: string;
  readonly column?: readonly string[];
  readonly date?: readonly string[];
  readonly from?: string;
  readonly every?: string;
  readonly value?: unknown;
  readonly by?: string;
  readonly weight?: string;
  readonly unit?: string;
  readonly credits?: unknown;
  readonly stage?: string;
  readonly until?: string;
  readonly moreThan?: string;
  readonly order?: readonly unknown[];
  readonly fillUnknown?: "null" | "backfill";
  readonly absent?: "drop" | "keep";
  readonly knownAt?: string;
  readonly calendar?: string;
}

const filterFlags = ["site", "operationId", "datasetId", "semanticType"];
const layerFlags = [...filterFlags, "knownAt"];

/** Names of the history methods that the command line supports. */
export const questionNames: readonly string[] = [...engineQuestions.keys()];

/** The options of a question, without those of every question. */
function takenFlags(question: Specification): readonly string[] {
  return [...new Set(givenNames(question).map(flagOf))];
}

/** Options with several values have a flag in the singular. */
function flagOf(name: string): string {
  return { columns: "column", dates: "date" }[name] ?? name;
}

/** Names of the questions with an option, except questions with `other`; the start of a description. */
function takenBy(flag: string, other?: string): string {
  const takes = (question: Specification, name: string | undefined) =>
    name !== undefined && takenFlags(question).includes(name);
  const taking = [...engineQuestions].filter(([, question]) => takes(question, flag) && !takes(question, other));
  return taking.map(([name]) => name).join(", ");
}

/** Adds the options of history methods to a command. */
export function addQuestionOptions(command: Command): Command {
  const add = (flags: string, description: string) => command.addOption(optionOf(flags, description));
  const addList = <T>(flags: string, description: string, read: (text: string) => T) =>
    command.addOption(
      optionOf(flags, description).argParser<readonly T[]>((text, before = []) => [...before, read(text)]),
    );
  command.addOption(
    siteOption("sites of the features; null for features without a site").helpGroup("Options of questions:"),
  );
  addList("--operation-id <id...>", "operations of the features; null for features without one", integerOrNull);
  addList("--dataset-id <id...>", "datasets of the features", integerOption(0, Number.MAX_SAFE_INTEGER));
  addList("--semantic-type <type...>", "semantic types of the features; null for features without one", textOrNull);
  add(
    "--at <time>",
    `${takenBy("at")}: calendar date (the whole day), ISO week (2025-W27, the whole week), or instant with time zone`,
  );
  add("--column <name...>", "property columns: several for asOf and panel, otherwise one");
  command.addOption(
    optionOf("--value <value>", `${takenBy("value")}: value of the column`).argParser((text) =>
      jsonOrText(text, "--value", (value) => `--value '${value}'`),
    ),
  );
  add("--date <time...>", `${takenBy("date")}: dates`);
  add("--from <time>", `first date of --every steps; for ${takenBy("from", "date")}, the earlier time`);
  add("--every <step>", "interval between dates: day, week, month, quarter, year, or an ISO duration (P14D)");
  add("--by <name>", `${takenBy("by")}: base field or property to group by`);
  add("--weight <name>", `${takenBy("weight")}: property column with the weight of each feature`);
  add("--unit <unit>", `${takenBy("unit")}: unit of the weights, if their definition has none`);
  command.addOption(
    optionOf("--credits <json>", `${takenBy("credits")}: earned share of each value: {"DUG":0.3,"CLOSED":1}`).argParser(
      (text) => jsonOrText(text, "--credits", (value) => `--credits '${value}'`),
    ),
  );
  add("--stage <name>", `${takenBy("stage")}: column of --credits`);
  add(
    "--until <time>",
    "last date of --every steps; for diff, the later time; for durations, the end of open intervals",
  );
  add("--more-than <length>", `${takenBy("moreThan")}: minimum delay: ISO duration of weeks, days or less (P7D)`);
  addList("--order <value...>", `${takenBy("order")}: values from first to last, or "options"`, (text) =>
    jsonOrText(text, "--order", (value) => `--order '${value}'`),
  );
  command.addOption(
    optionOf("--fill-unknown <how>", `${takenBy("fillUnknown")}: value before the first change`).choices([
      "null",
      "backfill",
    ]),
  );
  command.addOption(
    optionOf("--absent <how>", `${takenBy("absent")}: features that did not exist yet`).choices(["drop", "keep"]),
  );
  add(
    "--calendar <file>",
    `${takenBy("calendar")}: JSON file with the options of calendar(), for lengths in working time`,
  );
  return add("--known-at <point>", "use only changes recorded by this time, or up to this change id");
}

function textOrNull(text: string): string | null {
  return text === "null" ? null : text;
}

function optionOf(flags: string, description: string): Option {
  return new Option(flags, description).helpGroup("Options of questions:");
}

/**
 * Returns the SQL of a history method for a snapshot.
 *
 * @throws ArgumentError for an option that the method does not have, and for a missing option
 */
export async function questionText(
  snapshot: Snapshot,
  name: string,
  flags: QuestionFlags,
  { timeZone, dialect }: { readonly timeZone?: string | undefined; readonly dialect: DialectName },
): Promise<string> {
  const question = engineQuestions.get(name);
  if (!question) throw new TypeError(`no question is called ${name}`);
  refuseFlags(name, [...layerFlags, ...takenFlags(question)], flags);
  const { site, operationId, datasetId, semanticType, knownAt } = flags;
  const params: Params<"layerFeatures"> = {
    ...(site && { site_id: await siteIds(snapshot, site) }),
    ...(operationId && { operation_id: operationId }),
    ...(datasetId && { dataset_id: datasetId }),
    ...(semanticType && { semantic_type: semanticType }),
  };
  if (Object.keys(params).length === 0) {
    throw new ArgumentError(`siteframe sql ${name}: the features are missing.`, {
      hint: `Select them with ${filterFlags.map(written).join(", ")}, for example: ${name} --semantic-type TRENCHES.`,
      facts: { parameters: filterFlags },
    });
  }
  const questions = await snapshot.lazyHistory(params, { ...(timeZone !== undefined && { timeZone }) });
  try {
    const bound = knownAt === undefined ? questions : await questions.knownAt(knownAt);
    const given = argumentsOf(name, question, valuesOf(name, question, flags), (argument) => written(flagOf(argument)));
    return await askByName<LazyTable<unknown>>(bound, name, given).toSQL(dialect);
  } finally {
    await questions.close();
  }
}

/** @throws ArgumentError for options of history methods that do not apply */
export function refuseFlags(name: string, takes: readonly string[], flags: QuestionFlags): void {
  const allFlags: readonly string[] = [...layerFlags, ...[...engineQuestions.values()].flatMap(takenFlags)];
  const refused = Object.keys(flags).find((flag) => allFlags.includes(flag) && !takes.includes(flag));
  if (refused === undefined) return;
  throw new ArgumentError(`siteframe sql: ${name} has no option ${written(refused)}.`, {
    hint:
      takes.length > 0
        ? `Options: ${takes.map(written).join(", ")}.`
        : `Use it with a method: ${questionNames.join(", ")}.`,
    facts: { option: refused },
  });
}

/** @throws ArgumentError for several columns if the method needs one */
function valuesOf(name: string, { takes }: Specification, flags: QuestionFlags): Readonly<Record<string, unknown>> {
  const { column = [], date, order, calendar } = flags;
  if (takes.includes("column") && column.length !== 1) {
    throw new ArgumentError(`siteframe sql ${name}: pass exactly one --column.`, { facts: { option: "column" } });
  }
  return {
    ...flags,
    ...{ column: column[0], columns: flags.column, dates: date },
    order: order?.length === 1 && order[0] === "options" ? "options" : order,
    calendar: calendar === undefined ? undefined : readCalendar(calendar),
  };
}

/**
 * Reads the JSON object of a file.
 *
 * @throws FileError if the file cannot be read or is not a JSON object; `calendar()` checks its content
 */
function readCalendar(path: string): unknown {
  try {
    const read: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (typeof read === "object" && read !== null && !Array.isArray(read)) return read;
  } catch (cause) {
    throw noCalendar(path, cause);
  }
  throw noCalendar(path);
}

function noCalendar(path: string, cause?: unknown): FileError {
  const why = cause instanceof Error ? `: ${cause.message}` : "";
  return new FileError(`siteframe sql: --calendar ${showValue(path)} is not a JSON file${why}.`, {
    cause,
    hint: 'Write the options of calendar() to it: {"timeZone": "Europe/Berlin", "hours": "08:00-17:00"}.',
    facts: { option: "calendar", path },
  });
}

/** An option as users write it on the command line. */
function written(flag: string): string {
  return `--${flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
