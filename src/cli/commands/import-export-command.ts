import type { Command } from "commander";
import { counted } from "../../core/counted.js";
import { diagnosticText } from "../../core/diagnostic.js";
import { ArgumentError } from "../../core/errors.js";
import { rowCounts } from "../../snapshot/format/manifest.js";
import { exportNdjson } from "../../snapshot/ndjson/ndjson-files.js";
import { rowCountLines, statusLine } from "../output/terminal.js";

/** Adds `siteframe export`, which writes a snapshot as NDJSON files. */
export function addExportCommand(program: Command): void {
  program
    .command("export")
    .summary("Export a snapshot to NDJSON files.")
    .description("Export a snapshot to NDJSON files: one API record per line, exactly as stored.")
    .argument("<snapshot>", "snapshot folder")
    .argument("<dir>", "folder for sites.ndjson, layer_features.ndjson and so on")
    .action(exportRecords);
}

async function exportRecords(snapshot: string, dir: string): Promise<void> {
  const status = statusLine(process.stderr);
  const counts = await exportNdjson(snapshot, dir, {
    onProgress: ({ resource, rows }) => status.update(`${resource}: ${counted(rows)}`),
  });
  status.done(`Exported to ${dir}:\n${rowCountLines(counts)}`);
}

/** Options for a change log: the columns, with the names of the options of `fromChanges()`. */
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

/** Adds `siteframe import`, which makes a snapshot from NDJSON files or a change log. */
export function addImportCommand(program: Command): void {
  program
    .command("import")
    .summary("Make a snapshot from NDJSON files or a change log.")
    .description("Make a snapshot from NDJSON files (one API record per line) or any change log (--changes).")
    .argument("[dir]", "folder with sites.ndjson, layer_features.ndjson and so on; omit it with --changes")
    .argument("[snapshot]", "snapshot folder to write")
    .option("--skip-bad", "skip and report invalid lines instead of stopping at the first")
    .option("--allow-shrink", "accept more than a tenth fewer features or changes than the snapshot has")
    .option("--changes <file>", "change log instead of the folder: .csv, .tsv, .parquet, .ndjson or .json")
    .option("--id <column>", "log column with the id of the changed entity")
    .option("--key <column>", "log column with the name of the changed property")
    .option("--property <name>", "name of the only property, instead of --key")
    .option("--value <column>", "log column with the new value")
    .option("--time <column>", "log column with the time from which the value holds")
    .option("--sequence <column>", "log column with the insertion order: numbers or recording times")
    .option("--user <column>", "log column with the user who made the change")
    .option("--previous <column>", "log column with the previous value")
    .option("--entities <file>", "file with the entities and their current values")
    .option("--entity-id <column>", "entity column with the ids. Default: --id")
    .option("--created <column>", "entity column with the creation time")
    .option("--time-format <format>", 'format of times in the log: "%d/%b/%y %I:%M %p". Default: ISO 8601')
    .option(
      "--delimiter <character>",
      "delimiter of CSV. Default: comma, semicolon, tab or bar, detected from the header",
    )
    .option(
      "--encoding <name>",
      "encoding of CSV: windows-1252. Default: UTF-8, or UTF-16 if the file has its byte order mark",
    )
    .option("--time-zone <name>", "IANA time zone of times without a zone")
    .option("--type <name>", "semantic type of the features, also the name of the SQL view: ISSUES")
    .action(importRecords);
}

async function importRecords(
  first: string | undefined,
  second: string | undefined,
  options: ImportCommandOptions,
): Promise<void> {
  const { skipBad = false, allowShrink = false, changes, ...columns } = options;
  if (changes !== undefined && skipBad) {
    throw new ArgumentError("siteframe import --changes: --skip-bad works with NDJSON files only.", {
      hint: "Remove --skip-bad, and remove invalid rows from the log.",
    });
  }
  if (changes !== undefined) return importLog(changes, pathOf(first, second), { ...columns, allowShrink });
  const [name] = Object.keys(columns);
  if (name !== undefined) {
    throw new ArgumentError(
      `siteframe import: --${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} needs --changes.`,
      {
        hint: "Add the log: --changes log.csv.",
      },
    );
  }
  if (first === undefined || second === undefined) {
    throw new ArgumentError("siteframe import: the folder or the snapshot is missing.", {
      hint: "For example: siteframe import records acme.snapshot.",
    });
  }
  const { importNdjson } = await import("../../snapshot/ndjson/ndjson-files.js");
  const status = statusLine(process.stderr);
  const { manifest, skipped } = await importNdjson(first, second, {
    skipBad,
    allowShrink,
    onProgress: ({ resource, rows }) => status.update(`${resource}: ${counted(rows)}`),
  });
  for (const { path: position, line, reason } of skipped) status.done(`${position}:${line}: ${reason}`);
  status.done(`Imported into ${second}:\n${rowCountLines(rowCounts(manifest))}`);
  if (skipped.length > 0) status.done(`Skipped ${counted(skipped.length, "invalid line")}.`);
}

/** With `--changes` there is one argument: the snapshot. */
function pathOf(first: string | undefined, second: string | undefined): string {
  if (first !== undefined && second === undefined) return first;
  throw new ArgumentError("siteframe import --changes: pass one argument, the snapshot to write.", {
    hint: "For example: siteframe import --changes log.csv --id … --key … --value … --time … acme.snapshot",
  });
}

async function importLog(
  log: string,
  snapshot: string,
  columns: ChangesOptions & { readonly allowShrink: boolean },
): Promise<void> {
  const { importChanges } = await import("../../snapshot/import-changes.js");
  const status = statusLine(process.stderr);
  // fromChanges() checks which options are required.
  const { manifest, diagnostics, times } = await importChanges(
    log,
    snapshot,
    columns as Parameters<typeof importChanges>[2],
  );
  for (const diagnostic of diagnostics) status.done(diagnosticText(diagnostic));
  const range = times === undefined ? "" : `\nTimes in the log: ${times[0]} to ${times[1]}`;
  status.done(`Imported into ${snapshot}:\n${rowCountLines(rowCounts(manifest))}${range}`);
}
