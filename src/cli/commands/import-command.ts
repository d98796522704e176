import type { Command } from "commander";
import { counted } from "../../core/counted.js";
import { ArgumentError } from "../../core/errors.js";
import { rowCounts } from "../../snapshot/format/manifest.js";
import { rowCountLines, statusLine } from "../output/terminal.js";

/** What says of a log of changes which column has what: the names of `fromChanges()`. */
interface ChangesOptions {
  readonly id?: string;
  readonly key?: string;
  readonly property?: string;
  readonly value?: string;
  readonly time?: string;
  readonly sequence?: string;
  readonly user?: string;
  readonly previous?: string;
  readonly entities?: string;
  readonly entityId?: string;
  readonly created?: string;
  readonly timeFormat?: string;
  readonly delimiter?: string;
  readonly encoding?: string;
  readonly timeZone?: string;
  readonly type?: string;
}

interface ImportCommandOptions extends ChangesOptions {
  readonly skipBad?: boolean;
  readonly allowShrink?: boolean;
  readonly changes?: string;
}

/** `siteframe import`: makes a snapshot of NDJSON files, or of a log of changes. */
export function addImportCommand(program: Command): void {
  program
    .command("import")
    .description("Make a snapshot of a folder of NDJSON files, one API record a line, or of any log of changes.")
    .argument("[dir]", "folder with sites.ndjson, layer_features.ndjson and so on; left out with --changes")
    .argument("[snapshot]", "snapshot folder to write")
    .option("--skip-bad", "leave bad lines out and report them; otherwise the first ends the import")
    .option("--allow-shrink", "accept more than a tenth fewer features or changes than the snapshot has")
    .option("--changes <file>", "a log of changes in place of the folder: .csv, .tsv, .parquet, .ndjson or .json")
    .option("--id <column>", "of the log: the entity that was changed")
    .option("--key <column>", "of the log: the property that was changed")
    .option("--property <name>", "in place of --key: the only property")
    .option("--value <column>", "of the log: the new value")
    .option("--time <column>", "of the log: since when the value holds")
    .option("--sequence <column>", "of the log: what orders insertion, numbers or times of recording")
    .option("--user <column>", "of the log: who made the change")
    .option("--previous <column>", "of the log: the value before")
    .option("--entities <file>", "the entities with their present values")
    .option("--entity-id <column>", "of the entities: their ids; --id if absent")
    .option("--created <column>", "of the entities: when they were created")
    .option("--time-format <format>", 'format of times: "%d/%b/%y %I:%M %p". Default: ISO 8601')
    .option("--delimiter <character>", "delimiter of CSV. Default: comma, semicolon, tab or bar, as the header has it")
    .option("--encoding <name>", "encoding of CSV: windows-1252. Default: UTF-8, or as the byte order mark says")
    .option("--time-zone <name>", "IANA time zone of times that name none")
    .option("--type <name>", "semantic type of the features, after which views of SQL are called: ISSUES")
    .action((first: string | undefined, second: string | undefined, options: ImportCommandOptions) =>
      run(first, second, options),
    );
}

async function run(
  first: string | undefined,
  second: string | undefined,
  options: ImportCommandOptions,
): Promise<void> {
  const { skipBad = false, allowShrink = false, changes, ...columns } = options;
  if (changes !== undefined && skipBad) {
    throw new ArgumentError("--skip-bad is for NDJSON files: of a log every row counts.", {
      hint: "Take bad rows out of the file.",
    });
  }
  if (changes !== undefined) return importLog(changes, pathOf(first, second), { ...columns, allowShrink });
  const [name] = Object.keys(columns);
  if (name !== undefined) {
    throw new ArgumentError(
      `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} is for a log of changes.`,
      {
        hint: "Give it: --changes log.csv.",
      },
    );
  }
  if (first === undefined || second === undefined) {
    throw new ArgumentError("import needs a folder and a snapshot.", {
      hint: "siteframe import records acme.snapshot",
    });
  }
  const { importNdjson } = await import("../../snapshot/ndjson/import-ndjson.js");
  const status = statusLine(process.stderr);
  const { manifest, skipped } = await importNdjson(first, second, {
    skipBad,
    allowShrink,
    onProgress: ({ resource, rows }) => status.update(`${resource}: ${counted(rows)}`),
  });
  for (const { place, line, reason } of skipped) status.done(`${place}:${line}: ${reason}`);
  status.done(`Imported into ${second}:\n${rowCountLines(rowCounts(manifest))}`);
  if (skipped.length > 0) status.done(`Left out ${counted(skipped.length, "bad line")}.`);
}

/** With a log there is one argument: the snapshot. */
function pathOf(first: string | undefined, second: string | undefined): string {
  if (first !== undefined && second === undefined) return first;
  throw new ArgumentError("import --changes takes one argument, the snapshot to write.", {
    hint: "siteframe import --changes log.csv --id … --key … --value … --time … acme.snapshot",
  });
}

async function importLog(
  log: string,
  snapshot: string,
  columns: ChangesOptions & { readonly allowShrink: boolean },
): Promise<void> {
  const { importChanges } = await import("../../snapshot/import-changes.js");
  const status = statusLine(process.stderr);
  // Which of them are needed is the same as for fromChanges(), which says so.
  const { manifest, findings, times } = await importChanges(
    log,
    snapshot,
    columns as Parameters<typeof importChanges>[2],
  );
  for (const { message } of findings) status.done(message);
  const range = times === undefined ? "" : `\nTimes of the log: ${times[0]} to ${times[1]}`;
  status.done(`Imported into ${snapshot}:\n${rowCountLines(rowCounts(manifest))}${range}`);
}
