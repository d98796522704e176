// A process of worker.mjs, as the runner sees it.
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { watchOutput } from "./watch-output.mjs";

/**
 * Starts a process that runs cases of an entry point.
 *
 * @param {string} name of the module in `entries/`
 * @param {object} context what its function `attack()` gets
 * @param {(input: object) => object} [before] prepares a case in this process; returns what the worker gets
 */
export async function startWorker(name, context, before = (input) => input) {
  const child = fork(join(import.meta.dirname, "worker.mjs"), [name, JSON.stringify(context)], {
    serialization: "advanced",
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: { ...process.env, SITEFRAME_PSEUDONYM_KEY: "a key for this attack only" },
  });
  const output = watchOutput(child);
  const ended = once(child, "exit").then(([code, signal]) => `the process ended with ${signal ?? code}`);
  const next = () => new Promise((resolve) => child.once("message", resolve));
  const failed = await Promise.race([next().then(() => undefined), ended]);
  if (failed) throw new Error(`${name}: ${failed}\n${output.text()}`);
  return {
    pid: child.pid,
    ended,
    output,
    ask(input) {
      const outcome = next();
      child.send(before(input));
      return outcome;
    },
    stop() {
      child.kill("SIGKILL");
      return ended;
    },
  };
}
