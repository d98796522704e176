import { readFileSync } from "node:fs";
import { type Command, Option } from "commander";
import type { Params } from "../../api/filters.js";
import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";
import type { Answer } from "../../history/questions/answer.js";
import { argumentsOf, askByName, engineQuestions, givenNames } from "../../history/questions/by-name.js";
import type { Specification } from "../../history/questions/specification.js";
import type { DialectName } from "../../history/questions/sql/dialect/dialect.js";
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
  readonly value?: unknown;
  readonly by?: string;
  readonly weight?: string;
  readonly unit?: string;
  readonly credits?: unknown;
  readonly stage?: string;
  readonly until?: string;
  readonly moreThan?: string;
  readonly order?: readonly unknown[];
  readonly unknown?: "null" | "backfill";
  readonly absent?: "drop" | "keep";
  readonly knownAt?: string;
  readonly calendar?: string;
}

const filterFlags = ["siteId", "operationId", "datasetId", "semanticType"];
const layerFlags = [...filterFlags, "knownAt"];

/** The questions that can be asked by name. */
export const questionNames: readonly string[] = [...engineQuestions.keys()];

/** The options that a question takes besides those of every question. */
function takenFlags(question: Specification): readonly string[] {
  return [...new Set(givenNames(question).map(flagOf))];
}

/** Several are given by an option that is named as one. */
function flagOf(name: string): string {
  return { columns: "column", dates: "date" }[name] ?? name;
}

/** In front of a description: the questions that take the option, and not the other one. */
function takenBy(flag: string, other?: string): string {
  const takes = (question: Specification, name: string | undefined) =>
    name !== undefined && takenFlags(question).includes(name);
  const taking = [...engineQuestions].filter(([, question]) => takes(question, flag) && !takes(question, other));
  return taking.map(([name]) => name).join(", ");
}

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
  add("--at <time>", `${takenBy("at")}: a calendar date, which includes the whole day, or an instant with its zone`);
  add("--column <name...>", "property columns: any number for asOf and panel, otherwise one");
  command.addOption(
    optionOf("--value <value>", `${takenBy("value")}: a value of the column`).argParser((text) =>
      jsonOrText(text, "--value", (value) => `--value '${value}'`),
    ),
  );
  add("--date <time...>", `${takenBy("date")}: the dates`);
  add("--from <time>", `the same as steps: the first date; ${takenBy("from", "date")}: the earlier time`);
  add("--to <time>", `the last date; ${takenBy("to", "date")}: the later time`);
  add("--every <step>", "from one date to the next: day, week, month, quarter, year, or an ISO duration (P14D)");
  add("--by <name>", `${takenBy("by")}: a base field or a property to group by`);
  add("--weight <name>", `${takenBy("weight")}: a property column that tells what each feature weighs`);
  add("--unit <unit>", `${takenBy("unit")}: the unit of the weights, where no definition says it`);
  command.addOption(
    optionOf(
      "--credits <json>",
      `${takenBy("credits")}: the share that each value earns: {"DUG":0.3,"CLOSED":1}`,
    ).argParser((text) => jsonOrText(text, "--credits", (value) => `--credits '${value}'`)),
  );
  add("--stage <name>", `${takenBy("stage")}: the column that --credits are of`);
  add("--until <time>", `${takenBy("until")}: where stretches that still hold are cut`);
  add(
    "--more-than <length>",
    `${takenBy("moreThan")}: how late at least: an ISO duration of weeks, days or less (P7D)`,
  );
  addList("--order <value...>", `${takenBy("order")}: the values from first to last, or options`, (text) =>
    jsonOrText(text, "--order", (value) => `--order '${value}'`),
  );
  command.addOption(
    optionOf("--unknown <how>", `${takenBy("unknown")}: what stands where all changes are later`).choices([
      "null",
      "backfill",
    ]),
  );
  command.addOption(
    optionOf("--absent <how>", `${takenBy("absent")}: features that did not exist yet`).choices(["drop", "keep"]),
  );
  add("--calendar <file>", `${takenBy("calendar")}: lengths in working time, by a JSON file of what calendar() takes`);
  return add("--known-at <point>", "only what was known then: a time, or the id of a change");
}

function textOrNull(text: string): string | null {
  return text === "null" ? null : text;
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
  const question = engineQuestions.get(name);
  if (!question) throw new TypeError(`no question is called ${name}`);
  refuseFlags(name, [...layerFlags, ...takenFlags(question)], flags);
  const { siteId, operationId, datasetId, semanticType, knownAt } = flags;
  const params: Params<"layerFeatures"> = {
    ...(siteId && { site_id: siteId }),
    ...(operationId && { operation_id: operationId }),
    ...(datasetId && { dataset_id: datasetId }),
    ...(semanticType && { semantic_type: semanticType }),
  };
  if (Object.keys(params).length === 0) {
    throw new ArgumentError(`${name} needs at least one of ${filterFlags.map(written).join(", ")}.`, {
      hint: `For example: ${name} --semantic-type TRENCHES.`,
      facts: { parameters: filterFlags },
    });
  }
  const questions = await snapshot.questions(params, { ...(timeZone !== undefined && { timeZone }) });
  try {
    const known = knownAt === undefined ? questions : await questions.knownAt(knownAt);
    const given = argumentsOf(name, question, valuesOf(name, question, flags), (argument) => written(flagOf(argument)));
    return await askByName<Answer<unknown>>(known, name, given).sql(dialect);
  } finally {
    await questions.close();
  }
}

/** @throws ArgumentError for options of questions that something does not take */
export function refuseFlags(name: string, takes: readonly string[], flags: QuestionFlags): void {
  const known: readonly string[] = [...layerFlags, ...[...engineQuestions.values()].flatMap(takenFlags)];
  const refused = Object.keys(flags).find((flag) => known.includes(flag) && !takes.includes(flag));
  if (refused === undefined) return;
  throw new ArgumentError(`${name} takes no ${written(refused)}.`, {
    hint:
      takes.length > 0 ? `It takes: ${takes.map(written).join(", ")}.` : `Questions do: ${questionNames.join(", ")}.`,
    facts: { option: refused },
  });
}

/** @throws ArgumentError for several columns where a question is about one */
function valuesOf(name: string, { takes }: Specification, flags: QuestionFlags): Readonly<Record<string, unknown>> {
  const { column = [], date, order, calendar } = flags;
  if (takes.includes("column") && column.length !== 1) {
    throw new ArgumentError(`${name} needs --column with one name.`, { facts: { option: "column" } });
  }
  return {
    ...flags,
    ...{ column: column[0], columns: flags.column, dates: date },
    order: order?.length === 1 && order[0] === "options" ? "options" : order,
    calendar: calendar === undefined ? undefined : readCalendar(calendar),
  };
}

/** @throws ArgumentError for a file that cannot be read or is no object of JSON; what is wrong in it is said where it is asked */
function readCalendar(path: string): unknown {
  try {
    const read: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (typeof read === "object" && read !== null && !Array.isArray(read)) return read;
  } catch (cause) {
    throw noCalendar(path, cause);
  }
  throw noCalendar(path);
}

function noCalendar(path: string, cause?: unknown): ArgumentError {
  const why = cause instanceof Error ? `: ${cause.message}` : "";
  return new ArgumentError(`--calendar takes a file of JSON, but ${showValue(path)} is none${why}.`, {
    cause,
    hint: 'Write in it what calendar() takes: {"timeZone": "Europe/Berlin", "hours": "08:00-17:00"}.',
    facts: { option: "calendar" },
  });
}

/** As it is written on the command line. */
function written(flag: string): string {
  return `--${flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
