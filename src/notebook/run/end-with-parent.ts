import { SHARE_ENV, Worker } from "node:worker_threads";

/** How often a thread looks whether the process that started this one is still there. */
const everyMs = 500;

/** On Windows a process keeps the number of a parent that has gone. */
const program = `
const { workerData: { parent, everyMs, folders } } = require("node:worker_threads");
const isAlive = () => {
  try {
    return process.kill(parent, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
};
const timer = setInterval(async () => {
  if (process.ppid === parent && isAlive()) return;
  clearInterval(timer);
  try {
    (await import(folders)).removeFolders(process.pid);
  } finally {
    process.kill(process.pid, "SIGKILL");
  }
}, everyMs);`;

/**
 * Ends this process when the one that started it has gone, also while a cell keeps this thread busy: another thread
 * watches. Nobody would read what the process still has to say.
 */
export function endWithParent(): void {
  const folders = new URL("../../kernel/engine/typescript/check/stale-folders.js", import.meta.url).href;
  const thread = new Worker(program, {
    eval: true,
    workerData: { parent: process.ppid, everyMs, folders },
    env: SHARE_ENV,
    resourceLimits: { maxYoungGenerationSizeMb: 1 },
  });
  thread.unref();
}
