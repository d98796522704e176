import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  addQuestionOptions,
  type QuestionFlags,
  questionNames,
  questionText,
} from "../../../src/cli/input/question-options.js";
import { ArgumentError } from "../../../src/core/errors.js";
import { LazyHistory as QuestionsClass } from "../../../src/history/lazy/lazy-history.js";
import { specifications } from "../../../src/history/questions/define/question-methods.js";
import { type LazyHistory, type LazyTable, openSnapshot, type Snapshot } from "../../../src/index.js";
import { writeSnapshot } from "../../../src/snapshot/write/write-snapshot.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { change, dataset, feature, uuid } from "../../support/records.js";

const folder = temporaryFolder();
let snapshot: Snapshot;
let questions: LazyHistory;

beforeAll(async () => {
  writeFileSync(calendarFile, JSON.stringify(offices));
  const path = join(folder, "acme.snapshot");
  await writeSnapshot(path, {
    datasets: [dataset(1)],
    layerFeatures: [feature(1, { properties: { STATUS: "DONE", COST: 2 } }), feature(2, { site_id: null })],
    propertyChanges: [change(1), change(2, { new_value: "DONE", created_at: "2024-07-01T00:00:00Z" })],
  });
  snapshot = await openSnapshot(path);
  questions = await snapshot.lazyHistory({ semantic_type: "TRENCHES" }, { timeZone: "Europe/Berlin" });
});
afterAll(async () => {
  await questions.close();
  await snapshot.close();
});

function flagsOf(words: string): QuestionFlags {
  const command = addQuestionOptions(new Command().exitOverride().configureOutput({ writeErr: () => {} }));
  return command.parse(words.split(" ").filter(Boolean), { from: "user" }).opts();
}

const text = (name: string, words: string) =>
  questionText(snapshot, name, flagsOf(`--semantic-type TRENCHES ${words}`), {
    timeZone: "Europe/Berlin",
    dialect: "trino",
  });

const grid = { from: "2024-01-31", until: "2024-12-31", every: "month" };
const steps = "--from 2024-01-31 --until 2024-12-31 --every month";

const offices = { timeZone: "Europe/Berlin", hours: "08:00-17:00", holidays: ["2024-07-01"] };
const calendarFile = join(folder, "offices.json");

const asked: readonly (readonly [string, string, (questions: LazyHistory) => LazyTable<unknown>])[] = [
  ["asOf", "--at 2024-06-30", (all) => all.asOf("2024-06-30")],
  ["asOf", "--at 2024-W26", (all) => all.asOf("2024-06-30")],
  [
    "asOf",
    "--at 2024-06-30T12:00:00Z --column STATUS --fill-unknown backfill --absent keep",
    (all) => all.asOf("2024-06-30T12:00:00Z", { columns: ["STATUS"], fillUnknown: "backfill", absent: "keep" }),
  ],
  ["durations", `--column STATUS --calendar ${calendarFile}`, (all) => all.durations("STATUS", { calendar: offices })],
  ["lateEdits", `--calendar ${calendarFile}`, (all) => all.lateEdits({ calendar: offices })],
  ["states", "--at 2024-06-30 --absent keep", (all) => all.states("2024-06-30", { absent: "keep" })],
  ["panel", `${steps} --column STATUS COST`, (all) => all.panel(grid, { columns: ["STATUS", "COST"] })],
  ["panel", "--date 2024-01-31 2024-06-30", (all) => all.panel(["2024-01-31", "2024-06-30"])],
  ["counts", `--column STATUS ${steps} --by site_id`, (all) => all.counts("STATUS", grid, { by: "site_id" })],
  ["totals", `--column COST ${steps}`, (all) => all.totals("COST", grid)],
  ["intervals", "--column STATUS", (all) => all.intervals("STATUS")],
  ["durations", "--column STATUS --until 2024-12-31", (all) => all.durations("STATUS", { until: "2024-12-31" })],
  [
    "transitions",
    "--column STATUS --order OPEN null DONE",
    (all) => all.transitions("STATUS", { order: ["OPEN", null, "DONE"] }),
  ],
  ["steps", "--column STATUS", (all) => all.steps("STATUS")],
  ["steps", "--column STATUS --order OPEN DONE", (all) => all.steps("STATUS", { order: ["OPEN", "DONE"] })],
  ["firstReached", "--column STATUS --value DONE", (all) => all.firstReached("STATUS", "DONE")],
  ["firstReached", "--column COST --value 2", (all) => all.firstReached("COST", 2)],
  ["diff", "--from 2024-06-30 --until 2024-12-31", (all) => all.diff("2024-06-30", "2024-12-31")],
  ["changes", "", (all) => all.changes()],
  ["lateEntries", "", (all) => all.lateEntries()],
  ["lateEntries", "--more-than P7D", (all) => all.lateEntries({ moreThan: "P7D" })],
  ["causeTrees", "", (all) => all.causeTrees()],
  ["reconcile", "", (all) => all.reconcile()],
  ["editsByUser", "", (all) => all.editsByUser()],
];

const isInMemory = (name: string) => specifications.get(name)?.engine === undefined;

describe("methods of a history on the command line", () => {
  it("are all methods with SQL", () => {
    const names = new Set([...specifications.keys()].filter((name) => !isInMemory(name)));
    for (const name of names) expect(QuestionsClass.prototype).toHaveProperty(name);
    expect(new Set(questionNames)).toEqual(names);
    expect(new Set(asked.map(([name]) => name))).toEqual(names);
  });

  it.each(asked)("%s %s has the same SQL as in the library", async (name, words, ask) => {
    expect(await text(name, words)).toBe(await ask(questions).toSQL("trino"));
  });

  it("select features, and the log known at a change", async () => {
    const flags = flagsOf("--site 12 null --dataset-id 1 --operation-id null");
    const other = await snapshot.lazyHistory({ site_id: [12, null], operation_id: null, dataset_id: 1 });
    const dialect = "duckdb";
    expect(await questionText(snapshot, "changes", flags, { dialect })).toBe(await other.changes().toSQL(dialect));
    const known = await other.knownAt(uuid(1));
    const early = { ...flags, knownAt: uuid(1) };
    expect(await questionText(snapshot, "changes", early, { dialect })).toBe(await known.changes().toSQL(dialect));
    await other.close();
    const untyped = await snapshot.lazyHistory({ semantic_type: [null, "TRENCHES"] });
    const types = flagsOf("--semantic-type null TRENCHES");
    expect(await questionText(snapshot, "changes", types, { dialect })).toBe(await untyped.changes().toSQL(dialect));
    await untyped.close();
  });

  it.each([
    ["asOf", "", "asOf needs --at."],
    ["asOf", "--at 2024-06-30 --by site_id", "siteframe sql: asOf has no option --by."],
    ["counts", `--calendar ${calendarFile}`, "siteframe sql: counts has no option --calendar."],
    ["states", "--at 2024-06-30 --column STATUS", "siteframe sql: states has no option --column."],
    ["changes", "--at 2024-06-30", "siteframe sql: changes has no option --at."],
    ["counts", steps, "siteframe sql counts: pass exactly one --column."],
    ["counts", `--column STATUS COST ${steps}`, "siteframe sql counts: pass exactly one --column."],
    ["counts", "--column STATUS", "counts needs --date, or --from, --until and --every."],
    ["panel", `--date 2024-06-30 ${steps}`, "panel needs --date, or --from, --until and --every."],
    ["panel", "--from 2024-06-30 --until 2024-12-31", "panel needs --date, or --from, --until and --every."],
    ["firstReached", "--column STATUS", "firstReached needs --value."],
    ["firstReached", "--column STATUS --value DNOE", "never had the value"],
    ["diff", "--from 2024-06-30", "diff needs --until."],
    ["asOf", "--at 2024-02-30", 'nvalid time "2024-02-30": the last day of that month is 2024-02-29.'],
    ["intervals", "--column NOTHING", /NOTHING/],
    ["intervals", "--column STATUS --order OPEN", "siteframe sql: intervals has no option --order."],
    ["steps", "--column STATUS --order options", "has no options"],
  ])("%s %s is refused", async (name, words, message) => {
    const refused = text(name, words);
    await expect(refused).rejects.toMatchObject({ code: "ERR_ARGUMENT" });
    await expect(refused).rejects.toThrow(message);
  });

  it("refuses a calendar in a file that is missing", async () => {
    const refused = text("durations", "--column STATUS --calendar none.json");
    await expect(refused).rejects.toMatchObject({ code: "ERR_FILE" });
    await expect(refused).rejects.toThrow("is not a JSON file");
  });

  it("accept integers and null as ids, and names of sites", () => {
    expect(() => flagsOf("--dataset-id null")).toThrow(/integer/);
    expect(flagsOf("--site 1 Park --site null").site).toEqual([1, "Park", null]);
  });
});

describe("methods that run in memory", () => {
  it.each(["joinAsOf", "layerAsOf", "survival", "planVariance", "forecast"])("throw with an engine: %s", (name) => {
    const ask = () => (Reflect.get(questions, name) as () => unknown).call(questions);
    expect(ask).toThrow(ArgumentError);
    expect(ask).toThrow(`${name}(): lazy histories do not have this method.`);
    expect(isInMemory(name)).toBe(true);
  });
});
