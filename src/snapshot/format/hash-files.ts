import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import { READ_FLAGS } from "./snapshot-paths.js";

const CHUNK_BYTES = 256 << 10;

/**
 * Source of the worker, a string so that it runs the same from sources, from the built package and in a bundle. It has
 * its own thread because hashing a million features needs a core for a second while the tables are loaded.
 */
const HASHER = `
const { createHash } = require("node:crypto");
const { closeSync, openSync, readSync } = require("node:fs");
const { parentPort, workerData } = require("node:worker_threads");
const chunk = Buffer.allocUnsafe(1 << 20);
function hashFile(path) {
  const hash = createHash("sha256");
  const file = openSync(path, workerData.flags);
  try {
    for (let bytes = 1; bytes > 0; ) {
      bytes = readSync(file, chunk);
      hash.update(chunk.subarray(0, bytes));
    }
  } finally {
    closeSync(file);
  }
  return hash.digest("hex");
}
for (const path of workerData.paths) {
  let hash;
  try {
    hash = hashFile(path);
  } catch {}
  parentPort.postMessage(hash);
}`;

/** The sha256 of a file's content, in hexadecimal digits. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  await using file = await open(path, READ_FLAGS);
  for (;;) {
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES);
    if (bytesRead === 0) return hash.digest("hex");
    hash.update(chunk.subarray(0, bytesRead));
  }
}

/** The sha256 of each file's content, in hexadecimal digits; undefined for unreadable files. */
export function hashFiles(paths: readonly string[]): Promise<(string | undefined)[]> {
  return new Promise((resolve, reject) => {
    const hashes: (string | undefined)[] = [];
    const worker = new Worker(HASHER, { eval: true, workerData: { paths, flags: READ_FLAGS } });
    worker.on("message", (hash: string | undefined) => hashes.push(hash));
    worker.on("error", reject);
    worker.on("exit", () => resolve(hashes));
  });
}
