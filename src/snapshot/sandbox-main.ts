/**
 * Program that runs users' queries for `SandboxProcesses`: one at a time, over a snapshot or a layer. It is killed from
 * outside, and ends with its parent process, or when it needs too much memory.
 */

import type { Diagnostic } from "../core/diagnostic.js";
import { DateColumn } from "../tables/column/column.js";
import type { ExportTable } from "../tables/export/export-table.js";
import type { WriteFormat } from "../tables/sql/copy-select.js";
import { runSandboxed, type SentLayer } from "../tables/sql/run-sql.js";
import { type SandboxAnswer, type SandboxMessage, sentError, sentTable } from "../tables/sql/sandbox-process.js";
import { LazyDatabase } from "./database/lazy-database.js";
import { askForFiles, type SandboxJob, Snapshot } from "./snapshot.js";

/**
 * Memory that DuckDB's own limit does not include: strings and lists made by functions, and the table of the result.
 */
const MOST_MB = 3000;
const LOOK_MS = 100;

let open: { readonly key: string; readonly snapshot: Snapshot } | undefined;

function snapshotOf({ root, path, manifest, isPartial }: SandboxJob["snapshot"]): Snapshot {
  const key = `${root}\n${path}\n${manifest.generation}`;
  if (open?.key !== key) {
    void open?.snapshot.close();
    const fetcher = isPartial ? askForFiles(root) : undefined;
    open = {
      key,
      snapshot: new Snapshot(new LazyDatabase(root, manifest, { fetcher }), manifest, root, { path, remote: fetcher }),
    };
  }
  return open.snapshot;
}

async function run(job: SandboxJob | SentLayer): Promise<SandboxAnswer> {
  if ("frame" in job) return { table: sentTable(await runSandboxed(frameOf(job), job.query)), diagnostics: [] };
  const diagnostics: Diagnostic[] = [];
  const { tells, ...request } = job.request;
  const space = snapshotOf(job.snapshot).sandboxed(job.target);
  const query = {
    ...request,
    ...(tells ? { onDiagnostic: (diagnostic: Diagnostic) => diagnostics.push(diagnostic) } : {}),
  };
  if (job.target === undefined) return { table: sentTable(await space.table(query)), diagnostics };
  try {
    await space.copy(query, job.target, job.format as WriteFormat);
  } finally {
    await space.close();
  }
  return { diagnostics };
}

function frameOf({ frame }: SentLayer): ExportTable {
  return {
    rowCount: frame.rowCount,
    columns: frame.columns.map((column) =>
      column.kind === "instant" ? { ...column, values: new DateColumn(column.values) } : column,
    ),
  };
}

function send(message: SandboxMessage): void {
  // The parent process may have ended.
  if (process.connected) process.send?.(message);
}

// Queries run in other threads, so that this one always receives messages.
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
process.on("message", (job: SandboxJob | SentLayer) => {
  run(job).then(
    (answer) => send({ answer }),
    (error: unknown) => send(sentError(error)),
  );
});
setInterval(() => {
  if (process.memoryUsage.rss() > MOST_MB * 1_000_000) send({ tooLarge: MOST_MB });
}, LOOK_MS).unref();
