/**
 * Questions about a long log, asked of the folder where it lies: `npm run bench:scale [-- CHANGES [MEMORY [WITH_HISTORY]]]`
 * (12,000,000, 512MB, yes). Each question is asked in a process of its own, from opening the folder to an answer whose
 * every value was read, by DuckDB in so much memory, and by a history that first reads the whole log. The folder of the
 * made-up company is kept among the system's temporary files.
 */
import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const changes = Number(process.argv[2] ?? 12_000_000);
const memory = process.argv[3] ?? "512MB";
const withHistory = process.argv[4] !== "no";
/** Those that History answers, too: the first is the one that a user waits for. */
const COMPARED = ["as of, 5 columns", "counts, 1,000 dates", "intervals", "panel, 36 dates, 1 column"];
const script = fileURLToPath(new URL("scale/ask.mjs", import.meta.url));

const folder = await madeFolder();
console.log(`${changes.toLocaleString("en-US")} changes in ${folder}\n`);
console.log("| question | DuckDB, s | peak, MB | rows or bytes | History from the folder, s | peak, MB | × | answer |");
console.log("|---|---:|---:|---:|---:|---:|---:|---|");
let failed = false;
for (const question of JSON.parse(await output([]))) {
  const engine = await ask(memory, question);
  const history = withHistory && COMPARED.includes(question) ? await ask("history", question) : undefined;
  console.log(`| ${[question, ...cells(engine, history)].join(" | ")} |`);
}
if (failed) process.exitCode = 1;

/** The folder, by the process that makes it. */
async function madeFolder() {
  const maker = fork(new URL("history/company-folder.mjs", import.meta.url), [String(changes)]);
  const [path] = await once(maker, "message");
  return path;
}

async function ask(who, question) {
  try {
    return JSON.parse(await output([who, question, folder]));
  } catch (error) {
    failed = true;
    return {
      error: String(error.stderr || error)
        .trim()
        .split("\n")
        .at(-1),
    };
  }
}

async function output(args) {
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...args]);
  return stdout;
}

function cells(engine, history) {
  if (engine.error) return [engine.error];
  const seconds = ({ ms }) => (ms / 1000).toFixed(1);
  const own = [seconds(engine), engine.peakMb.toFixed(0), engine.rows ?? engine.bytes];
  if (!history) return [...own, "", "", "", ""];
  if (history.error) return [...own, history.error, "", "", ""];
  const isEqual = history.hash === engine.hash && history.rows === engine.rows;
  failed ||= !isEqual;
  const verdict = isEqual ? "equal" : "DIFFERENT";
  return [...own, seconds(history), history.peakMb.toFixed(0), (history.ms / engine.ms).toFixed(1), verdict];
}
