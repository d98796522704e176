import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { chmodSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Field } from "../../api/contract.js";
import { type ResourceName, resources } from "../../api/resources.js";
import { dataFolder } from "../../core/data-folder.js";
import { ArgumentError } from "../../core/errors.js";
import { folderReason, makeFolderSync } from "../../core/make-folder.js";

/** Replaces one value of a person's field; null stays null, numbers stay integers, texts stay texts. */
export type Pseudonym = (value: unknown) => unknown;

const VARIABLE = "SITEFRAME_PSEUDONYM_KEY";
/** Letters of a key: fewer can be tried out. */
const SHORTEST = 16;
const KEY_ID_DIGITS = 16;

/**
 * Makes pseudonyms that are the same in every run with the same key, so that redacted scripts are reproducible, and that
 * nobody can undo without it: user ids are few, and a plain hash of them is undone by trying all. The key is that of this
 * installation: `SITEFRAME_PSEUDONYM_KEY`, or a file of this user's that is made when it is first needed.
 *
 * Texts become `person-` and 10 hex digits, numbers a positive integer of 48 bits.
 *
 * @param origin where the persons are from: those of another service have others
 */
export function pseudonymizer(origin: string): Pseudonym {
  const known = new Map<string, string | number>();
  let secret: Buffer | undefined;
  return (value) => {
    if (value === null || value === undefined) return value;
    const text = `${typeof value} ${JSON.stringify(value)}`;
    const earlier = known.get(text);
    if (earlier !== undefined) return earlier;
    secret ??= secretOf(origin);
    const digest = createHmac("sha256", secret).update(text).digest();
    const made = typeof value === "number" ? digest.readUIntBE(0, 6) : `person-${digest.toString("hex", 0, 5)}`;
    known.set(text, made);
    return made;
  };
}

/** What `pseudonymizer()` calls the origin of the persons that a source has. */
export function personsOf({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return `${kind} ${name}`;
}

/**
 * A value by which a folder's pseudonyms are recognised: the same for the same key and origin. It discloses no more of the
 * key than a pseudonym does.
 */
export function pseudonymKeyId(origin: string): string {
  // Not the text of any value: those begin with their type.
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
 * The key of this installation.
 *
 * @throws ArgumentError for one that is too short, or that others can read, and where none can be kept
 */
export function installationKey(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const given = env["SITEFRAME_PSEUDONYM_KEY"];
  if (given !== undefined && given !== "") return checkedKey(given, VARIABLE);
  const path = join(dataFolder(env), "pseudonym.key");
  try {
    return storedKey(path) ?? makeKey(path);
  } catch (cause) {
    if (cause instanceof ArgumentError) throw cause;
    throw new ArgumentError(`The key of pseudonyms cannot be kept in ${path}: ${folderReason(cause)}.`, {
      cause,
      hint: `Set ${VARIABLE} to a secret of ${SHORTEST} letters or more.`,
      facts: { path },
    });
  }
}

function storedKey(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return undefined;
  // Windows keeps users' folders from each other by other means.
  if (process.platform !== "win32" && (found.mode & 0o077) !== 0) {
    throw new ArgumentError(`${path} can be read by others (mode ${(found.mode & 0o777).toString(8)}).`, {
      hint: "Remove it, and a new key is made: pseudonyms then are others. If nobody has read it, chmod 600 keeps them.",
      facts: { path },
    });
  }
  return checkedKey(readFileSync(path, "utf8").trim(), path);
}

/** Whole from the moment in which it is there, and the first one that was made where several processes make one. */
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
  if (key === undefined) throw new ArgumentError(`${path} was removed while it was made.`, { facts: { path } });
  return key;
}

function checkedKey(key: string, where: string): string {
  if (key.length >= SHORTEST) return key;
  throw new ArgumentError(`${where} holds a key of ${key.length} letters, which can be tried out.`, {
    hint: `Give one of ${SHORTEST} letters or more.`,
  });
}

/** A copy of a record with person data (the contract's `personal` fields) replaced by pseudonyms. */
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
