import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { chmodSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Field } from "../../api/contract.js";
import { type ResourceName, resources } from "../../api/resources.js";
import { dataFolder } from "../../core/data-folder.js";
import { ArgumentError, FileError, SiteframeError } from "../../core/errors.js";
import { folderReason, makeFolderSync } from "../../core/make-folder.js";

/** Replaces a personal value; null stays null, numbers stay integers, strings stay strings. */
export type Pseudonym = (value: unknown) => unknown;

const VARIABLE = "SITEFRAME_PSEUDONYM_KEY";
/** Minimum characters of a key; shorter keys can be guessed. */
const SHORTEST = 16;
const KEY_ID_DIGITS = 16;

/**
 * Returns a function for pseudonyms that are the same in every run with the same key, so that redacted scripts are
 * reproducible, and that cannot be reversed without the key: there are few user ids, and a plain hash could be reversed
 * by trying all. The key belongs to this installation: `SITEFRAME_PSEUDONYM_KEY`, or a file of this user that is
 * created when needed.
 *
 * Strings become `person-` and 10 hexadecimal digits, numbers a positive integer of 48 bits.
 *
 * @param origin of the persons: other services have other pseudonyms
 */
export function pseudonymizer(origin: string): Pseudonym {
  const pseudonyms = new Map<string, string | number>();
  let secret: Buffer | undefined;
  return (value) => {
    if (value === null || value === undefined) return value;
    const text = `${typeof value} ${JSON.stringify(value)}`;
    const earlier = pseudonyms.get(text);
    if (earlier !== undefined) return earlier;
    secret ??= secretOf(origin);
    const digest = createHmac("sha256", secret).update(text).digest();
    const made = typeof value === "number" ? digest.readUIntBE(0, 6) : `person-${digest.toString("hex", 0, 5)}`;
    pseudonyms.set(text, made);
    return made;
  };
}

/** The origin of a source's persons for `pseudonymizer()`. */
export function personsOf({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return `${kind} ${name}`;
}

/**
 * Returns an id of a folder's pseudonym key: the same for the same key and origin. It reveals no more about the key
 * than a pseudonym does.
 */
export function pseudonymKeyId(origin: string): string {
  // Distinct from hashes of values, which begin with their type.
  return createHmac("sha256", secretOf(origin)).update("key of pseudonyms").digest("hex").slice(0, KEY_ID_DIGITS);
}

/** Whether a value has the form of `pseudonymKeyId()`. */
export function isPseudonymKeyId(text: unknown): text is string {
  return typeof text === "string" && text.length === KEY_ID_DIGITS && /^[0-9a-f]+$/.test(text);
}

function secretOf(origin: string): Buffer {
  return createHmac("sha256", installationKey()).update(origin).digest();
}

/**
 * Returns the key of this installation.
 *
 * @throws ArgumentError if the key is too short; FileError if its file can be read by others or cannot be written
 */
export function installationKey(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const given = env["SITEFRAME_PSEUDONYM_KEY"];
  if (given !== undefined && given !== "") return checkedKey(given, VARIABLE);
  const path = join(dataFolder(env), "pseudonym.key");
  try {
    return storedKey(path) ?? makeKey(path);
  } catch (cause) {
    if (cause instanceof SiteframeError) throw cause;
    throw new FileError(`The pseudonym key ${path} cannot be written: ${folderReason(cause)}.`, {
      cause,
      hint: `Set ${VARIABLE} to a secret with at least ${SHORTEST} characters.`,
      facts: { path },
    });
  }
}

function storedKey(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return undefined;
  // Windows protects users' folders in other ways.
  if (process.platform !== "win32" && (stats.mode & 0o077) !== 0) {
    throw new FileError(`${path} is readable by other users (mode ${(stats.mode & 0o777).toString(8)}).`, {
      hint: "Run chmod 600 on it to keep the pseudonyms. If the key has leaked, delete the file: a new key creates new pseudonyms.",
      facts: { path },
    });
  }
  return checkedKey(readFileSync(path, "utf8").trim(), path);
}

/** Creates the file atomically; if several processes create it, the first one wins. */
function makeKey(path: string): string {
  makeFolderSync(dirname(path), 0o700);
  const unfinished = `${path}.${randomUUID()}`;
  writeFileSync(unfinished, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600, flag: "wx" });
  try {
    chmodSync(unfinished, 0o600);
    linkSync(unfinished, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(unfinished, { force: true });
  }
  const key = storedKey(path);
  if (key === undefined) throw new FileError(`${path} was deleted during its creation.`, { facts: { path } });
  return key;
}

function checkedKey(key: string, where: string): string {
  if (key.length >= SHORTEST) return key;
  throw new ArgumentError(`${where} has ${key.length} characters and can be guessed.`, {
    hint: `Use at least ${SHORTEST} characters.`,
  });
}

/** A copy of a record whose person data (the contract's `personal` fields) is replaced by pseudonyms. */
export function redactRecord<T extends object>(resource: ResourceName, record: T, pseudonym: Pseudonym): T {
  const names = personalOf(resource);
  if (names.length === 0) return record;
  const given = record as Readonly<Record<string, unknown>>;
  const replaced = names.filter((name) => name in given).map((name) => [name, pseudonym(given[name])]);
  return { ...record, ...Object.fromEntries(replaced) };
}

function personalOf(resource: ResourceName): readonly string[] {
  return personalFields[resource] as readonly string[];
}

/** Whether records of a resource have person data. */
export function hasPersons(resource: ResourceName): boolean {
  return personalOf(resource).length > 0;
}

const personalFields: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(resources).map(([resource, { fields }]) => [
    resource,
    Object.entries<Field>(fields).flatMap(([name, field]) => (field.personal ? [name] : [])),
  ]),
);
