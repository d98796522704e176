// How long after an edit an editor has the errors of a notebook of 100 cells, by the command and its protocol as editors use
// them: those of the edited cell, and those of the last cell that the edit changes.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createProtocolConnection } from "vscode-languageserver-protocol/node";
import { cellText } from "./lsp/cell-text.mjs";

const cellCount = 100;
const edits = Number(process.argv[2] ?? 100);

const folder = mkdtempSync(join(realpathSync(tmpdir()), "bench-lsp-"));
const child = spawn(process.execPath, ["dist/cli/main.js", "lsp", "--stdio"]);
const connection = createProtocolConnection(child.stdout, child.stdin);
const waiting = new Map();
connection.onNotification("textDocument/publishDiagnostics", ({ uri, diagnostics }) => {
  const wanted = waiting.get(uri);
  if (!wanted?.isHere(diagnostics)) return;
  waiting.delete(uri);
  wanted.resolve(performance.now());
});
connection.listen();
await connection.sendRequest("initialize", { processId: process.pid, rootUri: null, capabilities: {} });
await connection.sendNotification("initialized", {});

const notebook = pathToFileURL(join(folder, "notebook.ipynb")).href;
let cells = Array.from({ length: cellCount }, (_, index) => ({ uri: `${notebook}#${index}`, text: cellText(index) }));
const document = ({ uri, text }) => ({ uri, languageId: "typescript", version: 1, text });
const cellOf = ({ uri }) => ({ kind: 2, document: uri });
let version = 1;

const change = (parts) =>
  connection.sendNotification("notebookDocument/didChange", {
    notebookDocument: { uri: notebook, version: ++version },
    change: { cells: parts },
  });
/** Types something at the start of a cell. */
const type = (index, text) =>
  change({
    textContent: [
      {
        document: { uri: cells[index].uri, version },
        changes: [{ range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, text }],
      },
    ],
  });
/** Takes it away again. */
const untype = (index, text) =>
  change({
    textContent: [
      {
        document: { uri: cells[index].uri, version },
        changes: [{ range: { start: { line: 0, character: 0 }, end: { line: 0, character: text.length } }, text: "" }],
      },
    ],
  });
const told = (index, isHere) => new Promise((resolve) => waiting.set(cells[index].uri, { isHere, resolve }));
const someErrors = (diagnostics) => diagnostics.length > 0;
const noErrors = (diagnostics) => diagnostics.length === 0;

const opened = performance.now();
cells[cellCount - 1].text += "nowhere;";
const first = told(cellCount - 1, someErrors);
await connection.sendNotification("notebookDocument/didOpen", {
  notebookDocument: { uri: notebook, notebookType: "jupyter-notebook", version: 1, cells: cells.map(cellOf) },
  cellTextDocuments: cells.map(document),
});
console.log(`opened, errors of the last of ${cellCount} cells: ${Math.round((await first) - opened)} ms`);
{
  const isMended = told(cellCount - 1, noErrors);
  const end = cells[cellCount - 1].text.split("\n").length - 1;
  await change({
    textContent: [
      {
        document: { uri: cells[cellCount - 1].uri, version },
        changes: [{ range: { start: { line: end, character: 0 }, end: { line: end, character: 8 } }, text: "" }],
      },
    ],
  });
  await isMended;
}

/** The processor time that the command and the compiler, which it has started, have taken, in milliseconds, on Linux. */
function processorTime() {
  if (!existsSync("/proc/self/stat")) return Number.NaN;
  const ticks = readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const facts = readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /, "")
        .split(" ");
      return Number(pid) === child.pid || Number(facts[1]) === child.pid ? [Number(facts[11]) + Number(facts[12])] : [];
    } catch {
      return [];
    }
  });
  // Linux counts a hundred a second.
  return ticks.reduce((sum, each) => sum + each, 0) * 10;
}

/** The times until what is told at `at` follows an edit of cell `edited`, and follows when it is taken back. */
async function measure(name, edited, at, text) {
  const times = [];
  const before = processorTime();
  for (let round = 0; round < edits; round += 1) {
    for (const [make, isHere] of [
      [type, someErrors],
      [untype, noErrors],
    ]) {
      const result = told(at, isHere);
      const start = performance.now();
      await make(edited, text);
      times.push((await result) - start);
    }
  }
  report(name, times, before);
}

function report(name, times, before) {
  const processor = ((processorTime() - before) / times.length).toFixed(0);
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(0);
  console.log(
    `${name.padEnd(58)} median ${at(0.5)} ms, 95 % ${at(0.95)} ms, most ${at(1)} ms; processor ${processor} ms (${sorted.length})`,
  );
}

const middle = cellCount / 2;
await measure("an error in the cell itself", middle, middle, "nowhere; ");
await measure("a syntax error in the cell itself", middle, middle, "const = ; ");
await measure("a variable of the first cell has another type, at the last", 0, cellCount - 1, "let table0 = 1; ");
await measure("a name has another type, at the next cell", middle, middle + 1, `const table${middle} = 1; `);

const inserted = [];
const beforeInserts = processorTime();
for (let round = 0; round < edits; round += 1) {
  const cell = { uri: `${notebook}#new${round}`, text: "const table0 = 1;" };
  for (const [isHere, make] of [
    [
      someErrors,
      () => {
        cells.splice(middle, 0, cell);
        return { array: { start: middle, deleteCount: 0, cells: [cellOf(cell)] }, didOpen: [document(cell)] };
      },
    ],
    [
      noErrors,
      () => {
        cells = cells.filter((each) => each !== cell);
        return { array: { start: middle, deleteCount: 1 }, didClose: [{ uri: cell.uri }] };
      },
    ],
  ]) {
    const structure = make();
    const result = told(cells.length - 1, isHere);
    const start = performance.now();
    await change({ structure });
    inserted.push((await result) - start);
  }
}
report("a cell that shadows a name comes or goes, at the last", inserted, beforeInserts);

await connection.sendRequest("shutdown");
await connection.sendNotification("exit");
connection.dispose();
rmSync(folder, { recursive: true, force: true });
