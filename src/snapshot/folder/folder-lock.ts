import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, readlinkSync } from "node:fs";
import { link, open, readdir, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { REMOVE_FOLDER, removeFile, whileBusy } from "../../core/busy-files.js";
import { SnapshotError } from "../../core/errors.js";
import { refuseLinks, UNFINISHED } from "../format/snapshot-paths.js";
import { diskError } from "./target-folder.js";

const LOCK = ".lock";
const BEAT_MS = 5_000;
/** A lock whose time is this far off is not being refreshed, or is refreshed by a wrong clock. */
const FAR_MS = 120_000;
/** A holder that does not refresh its lock during this watch time is dead, on any machine. */
const WATCH_MS = 2.5 * BEAT_MS;

/** Holder of a lock, without personal data. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  /** Machine start and process namespace, in which the pid is unique. */
  readonly namespace: string;
  readonly since: string;
  readonly token: string;
}

/** Placeholder for a lock whose content was not on the disk when the machine failed. */
const UNKNOWN: Holder = { pid: 0, host: "an unknown host", namespace: "", since: "an unknown time", token: "" };

/** Exclusive write access to a snapshot folder. */
export interface FolderLock {
  /** @throws SnapshotError if another process has taken the lock meanwhile */
  check(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Locks a snapshot folder. Breaks the lock of a dead process and removes its remains.
 *
 * @throws SnapshotError with the holder, or if the folder cannot be written or contains links
 */
export async function lockFolder(root: string, now: () => Date): Promise<FolderLock> {
  await refuseLinks(root);
  const path = join(root, LOCK);
  const mine: Holder = {
    pid: process.pid,
    host: hostname(),
    namespace: namespaceOf(),
    since: now().toISOString(),
    token: randomUUID(),
  };
  const ownPath = `${path}-${mine.token}`;
  try {
    await writeHolder(ownPath, mine);
    while (!(await linked(ownPath, path))) await breakStale(path, root);
  } catch (error) {
    throw diskError(error, root, "try again");
  } finally {
    await removeFile(ownPath);
  }
  await Promise.allSettled([removeUnfinished(root), removeDeadLocks(root)]);
  const beat = setInterval(() => {
    const at = new Date();
    utimes(path, at, at).catch(() => {});
  }, BEAT_MS);
  beat.unref();
  const isMine = async () => (await holderOf(path))?.token === mine.token;
  return {
    async check() {
      if (!(await isMine()))
        throw new SnapshotError(`Another process has taken over ${root}.`, { facts: { path: root } });
    },
    async release() {
      clearInterval(beat);
      if (await isMine()) await removeFile(path);
    },
  };
}

async function writeHolder(path: string, holder: Holder): Promise<void> {
  await using file = await open(path, "wx");
  await file.writeFile(`${JSON.stringify(holder)}\n`);
}

/** Creates the lock with its content in one step; returns false if there is a lock. */
async function linked(ownPath: string, path: string): Promise<boolean> {
  try {
    await whileBusy(() => link(ownPath, path));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Removes the lock of a dead process only: the renamed file is checked. */
async function breakStale(path: string, root: string): Promise<void> {
  const holder = await holderOf(path);
  if (!holder) return;
  if (!(await isDead(path, holder))) throw lockedError(root, holder);
  const aside = `${path}-${randomUUID()}`;
  await rename(path, aside).catch(() => {});
  const renamed = await holderOf(aside);
  // Another process broke the lock first and this is its new lock, so it is put back.
  if (renamed && renamed.token !== holder.token) await link(aside, path).catch(() => {});
  await removeFile(aside);
}

/** Removes the remains of processes that were killed while they created a lock. */
async function removeDeadLocks(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    if (!name.startsWith(`${LOCK}-`)) continue;
    const path = join(root, name);
    const holder = await holderOf(path);
    if (holder && (isGone(holder) || isFar(await touchedAt(path)))) await removeFile(path);
  }
}

/** @returns undefined without a lock */
async function holderOf(path: string): Promise<Holder | undefined> {
  let text: string;
  try {
    text = await whileBusy(() => readFile(path, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    return JSON.parse(text) as Holder;
  } catch {
    return UNKNOWN;
  }
}

/**
 * A machine that was asleep wakes with an old lock, and a clock may be wrong, so only a lock that is not refreshed is
 * dead.
 */
async function isDead(path: string, holder: Holder): Promise<boolean> {
  if (isGone(holder)) return true;
  const touched = await touchedAt(path);
  if (!isFar(touched)) return false;
  await setTimeout(WATCH_MS);
  return (await touchedAt(path)) === touched;
}

/** Whether the holder was a process on this machine that has ended. */
function isGone(holder: Holder): boolean {
  return holder.namespace === namespaceOf() && !isRunning(holder.pid);
}

/** Milliseconds since 1970; undefined if the file is missing. */
async function touchedAt(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.mtimeMs;
}

function isFar(touched: number | undefined): boolean {
  return touched !== undefined && Math.abs(Date.now() - touched) > FAR_MS;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function namespaceOf(): string {
  if (!existsSync("/proc/self/ns/pid")) return hostname();
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  return `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
}

function lockedError(root: string, { pid, host, since }: Holder): SnapshotError {
  return new SnapshotError(`${root} is locked by process ${pid} on ${host} since ${since}.`, {
    hint: "Wait until it ends. Locks of dead processes are removed automatically.",
    facts: { path: root, pid, host, since },
  });
}

/** Removes the remains of killed writers. Only for the holder of the folder's lock. */
async function removeUnfinished(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    if (name.startsWith(UNFINISHED)) await rm(join(root, name), REMOVE_FOLDER);
  }
}
