import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { lockFolder } from "../../../src/snapshot/folder/folder-lock.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();
const HOUR_MS = 3_600_000;

/** A folder with the lock of a process on another machine, as of a time. */
function lockedFrom(name: string, touched: number): { readonly root: string; touch(at: number): void } {
  const root = join(folder, name);
  const path = join(root, ".lock");
  mkdirSync(root);
  const holder = { pid: 1, host: "elsewhere", namespace: "another machine", since: "2025-01-01", token: name };
  writeFileSync(path, JSON.stringify(holder));
  const touch = (at: number) => utimesSync(path, new Date(at), new Date(at));
  touch(touched);
  return { root, touch };
}

const lock = (root: string) => lockFolder(root, () => new Date());

it.concurrent("breaks a lock from a clock that was ahead", async () => {
  const { root } = lockedFrom("ahead", Date.now() + HOUR_MS);
  const taken = await lock(root);
  await expect(taken.check()).resolves.toBeUndefined();
  await taken.release();
});

it.concurrent("keeps the lock of a machine that slept or has a wrong clock, if the lock is touched", async () => {
  const asleep = lockedFrom("asleep", Date.now() - HOUR_MS);
  const behind = lockedFrom("behind", Date.now() - HOUR_MS);
  const tries = [lock(asleep.root), lock(behind.root)].map((taken) =>
    expect(taken).rejects.toThrow(/is locked by process 1 on elsewhere/),
  );
  await setTimeout(5_000);
  asleep.touch(Date.now());
  behind.touch(Date.now() - HOUR_MS + 5_000);
  await Promise.all(tries);
});

it.concurrent("names the holder of a recently touched lock at once", async () => {
  const { root } = lockedFrom("lately", Date.now() - 10_000);
  await expect(lock(root)).rejects.toThrow(/is locked by process 1 on elsewhere/);
});
