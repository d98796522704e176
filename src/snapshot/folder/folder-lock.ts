import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, readlinkSync } from "node:fs";
import { link, open, readdir, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { REMOVE_FOLDER, removeFile, whileBusy } from "../../core/busy-files.js";
import { SnapshotError } from "../../core/errors.js";
import { refuseLinks } from "../format/own-paths.js";
import { diskError } from "./disk-error.js";

const LOCK = ".lock";
const BEAT_MS = 5_000;
/** A lock whose time is so far off, behind or ahead, is not being touched, or by a clock that is not ours. */
const FAR_MS = 120_000;
/** A holder that does not touch its lock while it is watched so long is dead, wherever it was. */
const WATCH_MS = 2.5 * BEAT_MS;

/** Who holds a lock: nothing personal. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  /** Machine start and process namespace: where the pid means something. */
  readonly place: string;
  readonly since: string;
  readonly token: string;
}

/** What a lock says whose content was not on the disk when the machine failed. */
const UNKNOWN: Holder = { pid: 0, host: "an unknown host", place: "", since: "an unknown time", token: "" };

/** The right to write to a snapshot folder. */
export interface FolderLock {
  /** @throws SnapshotError if another process has taken the lock meanwhile */
  check(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Takes the lock of a snapshot folder. The lock of a process that is dead is broken, and what it has left is removed.
 *
 * @throws SnapshotError naming the holder, or if the folder cannot be written or has links in it
 */
export async function lockFolder(root: string, now: () => Date): Promise<FolderLock> {
  await refuseLinks(root);
  const path = join(root, LOCK);
  const mine: Holder = {
    pid: process.pid,
    host: hostname(),
    place: place(),
    since: now().toISOString(),
    token: randomUUID(),
  };
  const own = `${path}-${mine.token}`;
  try {
    await writeHolder(own, mine);
    while (!(await linked(own, path))) await breakStale(path, root);
  } catch (error) {
    throw diskError(error, root, "do it again");
  } finally {
    await removeFile(own);
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

/** Creates the lock with its content in one step; false if there is one. */
async function linked(own: string, path: string): Promise<boolean> {
  try {
    await whileBusy(() => link(own, path));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Removes the lock of a dead process, and no other: whoever renames it looks at what was renamed. */
async function breakStale(path: string, root: string): Promise<void> {
  const holder = await holderOf(path);
  if (!holder) return;
  if (!(await isDead(path, holder))) throw held(root, holder);
  const aside = `${path}-${randomUUID()}`;
  await rename(path, aside).catch(() => {});
  const renamed = await holderOf(aside);
  // Somebody broke the lock before us and it is a new one that we hold: it is put back.
  if (renamed && renamed.token !== holder.token) await link(aside, path).catch(() => {});
  await removeFile(aside);
}

/** Removes what those who were killed while they took the lock have left beside it. */
async function removeDeadLocks(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    if (!name.startsWith(`${LOCK}-`)) continue;
    const path = join(root, name);
    const holder = await holderOf(path);
    if (holder && (isGone(holder) || isFar(await touchedAt(path)))) await removeFile(path);
  }
}

/** @returns undefined if there is no lock */
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

/** A machine that slept wakes with a lock of old, and a clock may be wrong: only a lock that stands still is of the dead. */
async function isDead(path: string, holder: Holder): Promise<boolean> {
  if (isGone(holder)) return true;
  const touched = await touchedAt(path);
  if (!isFar(touched)) return false;
  await setTimeout(WATCH_MS);
  return (await touchedAt(path)) === touched;
}

/** Whether a process on this machine held it that is no more. */
function isGone(holder: Holder): boolean {
  return holder.place === place() && !isRunning(holder.pid);
}

/** Milliseconds since 1970; undefined if there is no such file. */
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

function place(): string {
  if (!existsSync("/proc/self/ns/pid")) return hostname();
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  return `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
}

function held(root: string, { pid, host, since }: Holder): SnapshotError {
  return new SnapshotError(`${root} is being written by process ${pid} on ${host} since ${since}.`, {
    hint: "Wait until it ends. The lock of a process that is dead is broken by itself.",
    facts: { path: root, pid, host, since },
  });
}

const PREFIX = ".unfinished-";

/** A new path in a snapshot folder for what is not complete yet. To be used by who holds the folder's lock. */
export function unfinishedPath(root: string): string {
  return join(root, `${PREFIX}${randomUUID()}`);
}

/** Removes what writers have left that were killed. To be called by who holds the folder's lock. */
async function removeUnfinished(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    if (name.startsWith(PREFIX)) await rm(join(root, name), REMOVE_FOLDER);
  }
}
