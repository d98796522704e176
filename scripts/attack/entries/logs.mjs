// Files of a log of changes, and of its entities: CSV, JSON, NDJSON, Parquet, compressed or not.
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import zlib, { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { person } from "../canary.mjs";
import { damagedBytes, damagedJson, damagedText, hostileText } from "../mutations.mjs";
import { startWorker } from "../worker-target.mjs";

const rows = Array.from({ length: 20 }, (_, index) => ({
  ticket: `A-${index % 4}`,
  field: ["status", "assignee", "estimate"][index % 3],
  to: [["Open", "In progress", "Done"][Math.floor(index / 7)], person.name, index / 2][index % 3],
  at: new Date(Date.UTC(2024, 0, 1 + index, 8)).toISOString(),
  by: `${person.name} <${person.mail}>`,
  seq: index,
}));
const entities = Array.from({ length: 4 }, (_, index) => ({
  ...{ ticket: `A-${index}`, status: "Done", assignee: person.name, estimate: index, opened: "2024-01-01T00:00:00Z" },
}));

const cell = (value) => (/[",\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : value);
const csvOf = (records) =>
  [Object.keys(records[0]), ...records.map(Object.values)]
    .map((one) => one.map(cell).join(","))
    .join("\n")
    .concat("\n");
const lines = (records) =>
  records
    .map((record) => JSON.stringify(record))
    .join("\n")
    .concat("\n");

const texts = {
  csv: csvOf(rows),
  tsv: csvOf(rows).replaceAll(",", "\t"),
  ndjson: lines(rows),
  json: JSON.stringify(rows),
};
const buffer = (text) => Buffer.from(text);

/** Files with their extensions. */
const damagedLog = (parquet) => {
  const text = (extension) => damagedText(texts[extension]).map(buffer);
  const extra = fc.oneof(text("csv"), damagedBytes(buffer(texts.csv)));
  return fc.oneof(
    { weight: 4, arbitrary: fc.tuple(fc.constant("csv"), text("csv")) },
    { weight: 1, arbitrary: fc.tuple(fc.constant("csv"), damagedBytes(buffer(texts.csv))) },
    { weight: 1, arbitrary: fc.tuple(fc.constant("tsv"), text("tsv")) },
    { weight: 3, arbitrary: fc.tuple(fc.constant("json"), damagedJson(rows).map(buffer)) },
    { weight: 3, arbitrary: fc.tuple(fc.constant("ndjson"), damagedLines()) },
    { weight: 1, arbitrary: fc.tuple(fc.constant("ndjson"), text("ndjson")) },
    { weight: 2, arbitrary: fc.tuple(fc.constant("parquet"), damagedBytes(parquet)) },
    {
      weight: 1,
      arbitrary: fc.tuple(
        fc.constant("csv.gz"),
        extra.map((bytes) => gzipSync(bytes)),
      ),
    },
    { weight: 1, arbitrary: fc.tuple(fc.constant("csv.gz"), damagedBytes(gzipSync(texts.csv))) },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constantFrom("csv.zst", "csv", "ndjson.gz", "parquet"), damagedBytes(gzipSync(texts.csv))),
    },
  );
};

const damagedLines = () =>
  fc.tuple(damagedJson(rows[1]), fc.nat(rows.length)).map(([line, place]) =>
    buffer(
      rows
        .map((row) => JSON.stringify(row))
        .toSpliced(place, 0, line)
        .join("\n"),
    ),
  );

const fields = { id: "ticket", key: "field", value: "to", time: "at", user: "by", timeZone: "UTC" };
const options = fc.oneof(
  { weight: 5, arbitrary: fc.constant(fields) },
  fc.record(
    {
      ...{
        id: fc.constantFrom("ticket", "by"),
        value: fc.constantFrom("to", "seq", "at"),
        time: fc.constantFrom("at", "to", "seq"),
      },
      ...{
        // Not "by": values of the column of keys are names of columns, which messages may quote.
        key: fc.constantFrom("field", "seq", "__proto__"),
        sequence: fc.constantFrom("seq", "at", "to"),
        user: fc.constantFrom("by", "to"),
      },
      ...{ previous: fc.constant("to"), timeFormat: fc.constantFrom("%d/%b/%y", "%Y-%m-%dT%H:%M:%S.%gZ", "%", "%%%q") },
      ...{
        delimiter: fc.constantFrom(",", ";", "|", "\t"),
        encoding: fc.constantFrom("utf-8", "windows-1252", "utf-16le"),
      },
      timeZone: fc.constantFrom("UTC", "Europe/Berlin"),
    },
    { requiredKeys: ["id", "value", "time", "key"] },
  ),
);

const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
const line = (value) => `{"ticket":"A-1","field":"status","to":${value},"at":"2024-01-01T00:00:00Z","by":"u1"}`;
const petra = `${person.name} <${person.mail}>`;
const head = "ticket,field,to,at,by\n";
const plain = { extension: "csv", log: buffer(texts.csv), options: fields, isImported: false };

const corpus = () => [
  { name: "valid CSV", input: plain },
  { name: "deep JSON", input: { ...plain, extension: "json", log: buffer(`[${line(deep)}]`) } },
  { name: "deep NDJSON", input: { ...plain, extension: "ndjson", log: buffer(line(deep)) } },
  { name: "deep NDJSON imported", input: { ...plain, extension: "ndjson", log: buffer(line(deep)), isImported: true } },
  {
    name: "deep entities",
    input: { ...plain, entities: buffer(`[{"ticket":"A-1","status":${deep}}]`), entitiesExtension: "json" },
  },
  {
    name: "an unreadable time in row 30,001",
    input: {
      ...plain,
      log: buffer(`${head}${"A-1,status,Open,01/Jan/24,u1\n".repeat(30_000)}A-1,assignee,${petra},soon,${petra}\n`),
      options: { ...fields, timeFormat: "%d/%b/%y" },
    },
  },
  {
    name: "Latin-1 in a file of UTF-8",
    input: {
      ...plain,
      log: Buffer.from(
        `${head}A-1,status,Open,2024-01-01,${petra}\nA-1,status,M\xfcll ${petra},2024-01-01,u1\n`,
        "latin1",
      ),
    },
  },
  {
    name: "an entity twice",
    input: { ...plain, entities: buffer(`ticket\n${petra}\n${petra}\n`), entitiesExtension: "csv" },
  },
  { name: "a row that is a string", input: { ...plain, extension: "ndjson", log: buffer(JSON.stringify(petra)) } },
  { name: "a time that is a person", input: { ...plain, log: buffer(`${head}A-1,status,Open,${petra},u1\n`) } },
  { name: "1 GB of zeros in gzip", input: { ...plain, extension: "csv.gz", log: gzipSync(Buffer.alloc(1e9)) } },
  {
    name: "500 MB of one field in gzip",
    input: { ...plain, extension: "csv.gz", log: gzipSync(Buffer.concat([buffer(head), Buffer.alloc(5e8, "x")])) },
  },
  ...(zlib.zstdCompressSync
    ? [
        {
          name: "1 GB of zeros in Zstandard",
          input: { ...plain, extension: "csv.zst", log: zlib.zstdCompressSync(Buffer.alloc(1e9)) },
        },
      ]
    : []),
];

export async function prepare(folder) {
  const parquet = join(folder, "log.parquet");
  const code = `const { fromChanges, toParquet } = await import("${new URL("../../../dist/index.js", import.meta.url)}");
    const aq = await import("arquero");
    await toParquet(aq.from(${JSON.stringify(rows.map((row) => ({ ...row, to: String(row.to) })))}), { path: ${JSON.stringify(parquet)} });`;
  execFileSync(process.execPath, ["--input-type=module", "-e", code]);
  return {
    corpus: corpus(),
    arbitrary: fc
      .record({
        file: damagedLog(readFileSync(parquet)),
        options,
        entities: fc.option(
          fc.oneof(
            fc.tuple(fc.constant("csv"), damagedText(csvOf(entities)).map(buffer)),
            fc.tuple(fc.constant("json"), damagedJson(entities).map(buffer)),
          ),
          { freq: 3 },
        ),
        isImported: fc.nat(9).map((number) => number === 0),
        column: hostileText,
      })
      .map(({ file: [extension, log], options, entities, isImported, column }) => ({
        ...{ extension, log, options, isImported, column },
        ...(entities ? { entitiesExtension: entities[0], entities: entities[1] } : {}),
      })),
    typed: namesOf,
    start: () => startWorker("logs", { folder }),
  };
}

function unpacked(file) {
  try {
    return String(gunzipSync(file, { maxOutputLength: 1e6 }));
  } catch {
    return String(file);
  }
}

/** What messages may quote of a case: names of columns, and what the caller gave. */
function namesOf({ log, entities = "", options, column = "" }) {
  const files = [log, entities].map(unpacked);
  const headers = files.map((file) => file.split("\n", 1)[0]);
  // A first row without any column that is asked for is data.
  const named = headers.filter((header) =>
    /\b(?:ticket|field|to|at|by|seq|status|assignee|estimate|opened)\b/.test(header.replaceAll(person.name, "")),
  );
  const keys = files.flatMap((file) => file.match(/"(?:[^"\\]|\\.)*"\s*:/g) ?? []);
  // Values of the column of keys are names of properties.
  const properties = files.flatMap((file) => [
    ...(file.match(/"field"\s*:\s*"(?:[^"\\]|\\.)*"/g) ?? []),
    ...file.split("\n").map((line) => line.split(/[,\t]/)[1] ?? ""),
  ]);
  return [JSON.stringify(options), column, ...named, ...keys, ...properties].join("\n");
}

export async function attack({ folder }) {
  const { fromChanges } = await import("../../../dist/index.js");
  const { importChanges } = await import("../../../modules/snapshot/import-changes.js");
  return async (
    { extension, log, options, entities, entitiesExtension, isImported, column = "status" },
    { attempt },
  ) => {
    const path = join(folder, `log.${extension}`);
    writeFileSync(path, log);
    const all = { ...options };
    if (entities) {
      all.entities = join(folder, `entities.${entitiesExtension}`);
      writeFileSync(all.entities, entities);
    }
    if (isImported) {
      const target = join(folder, "imported.snapshot");
      rmSync(target, { recursive: true, force: true });
      await attempt(() => importChanges(path, target, all));
      return;
    }
    const history = await attempt(() => fromChanges(path, all));
    if (!history) return;
    await attempt(() => history.asOf("2024-01-15"));
    await attempt(() => history.counts("status", ["2024-01-05", "2024-02-05"]));
    await attempt(() => history.counts(column, ["2024-01-05"]));
    await attempt(() => history.durations("status"));
    await attempt(() => history.reconcile());
    await attempt(() => history.totals("estimate", ["2024-01-05"]));
  };
}
