import { join } from "node:path";
import { SiteframeError, SnapshotError } from "../../core/errors.js";
import { type FileDamage, findDamage } from "../folder/verify-files.js";
import { damagedFile } from "../format/damaged-file.js";
import { type Manifest, storedFiles } from "../format/manifest.js";
import { fileBytes } from "../format/own-paths.js";

/** What DuckDB says of a statement that is wrong, whatever the files hold. */
const WRONG_STATEMENT =
  /^(Parser|Syntax|Binder|Catalog|Conversion|Out of Range|Out of Memory|Not implemented|Constraint|Permission)/;

/** Tells what it means that a snapshot could not be read. */
export class ReadFailures {
  readonly #root: string;
  readonly #manifest: Manifest;
  readonly #isPartial: boolean;
  #looking: Promise<readonly FileDamage[]> | undefined;

  /** @param isPartial whether files come only when they are needed, so that one that is not there is not damaged */
  constructor(root: string, manifest: Manifest, isPartial = false) {
    this.#root = root;
    this.#manifest = manifest;
    this.#isPartial = isPartial;
  }

  /** The error to throw for one that came of reading: a SnapshotError with the file's name if one is damaged. */
  async explain(error: unknown): Promise<unknown> {
    if (error instanceof SiteframeError) return error;
    const hint = memoryHint(firstLine(error));
    const damage = hint === undefined ? await this.#damage(error) : undefined;
    if (damage) return damage;
    return new SnapshotError(`${this.#root} could not be read: ${firstLine(error)}.`, {
      cause: error,
      hint: hint ?? "See with siteframe verify whether a file is damaged.",
      facts: { path: this.#root },
    });
  }

  /** The error to throw for one that came of a statement of somebody else, who may have made the mistake. */
  async explainQuery(error: unknown): Promise<unknown> {
    if (error instanceof SiteframeError || WRONG_STATEMENT.test(firstLine(error))) return error;
    return (await this.#damage(error)) ?? error;
  }

  /** All files are looked at, once for all who ask at the same time. */
  async #damage(cause: unknown): Promise<SnapshotError | undefined> {
    const files = storedFiles(this.#manifest).filter(
      ({ path }) => !this.#isPartial || fileBytes(this.#root, path) !== undefined,
    );
    this.#looking ??= findDamage(this.#root, files).finally(() => {
      this.#looking = undefined;
    });
    const found = await this.#looking;
    // The one that the error is about, if it says so.
    const damage = found.find(({ file }) => String(cause).includes(file.path)) ?? found[0];
    return damage && damagedFile(join(this.#root, damage.file.path), damage.problem, cause);
  }
}

/** Whether an error is one of a database that had not the memory for a statement. */
export function lacksMemory(error: unknown): boolean {
  return String(error).includes("Out of Memory");
}

/** What to do about an error of a database that had not the memory for a statement. */
export function memoryHint(message: string): string | undefined {
  if (!lacksMemory(message)) return undefined;
  return "Ask for fewer columns or rows at once: every column that is asked for takes memory, and no other.";
}

function firstLine(error: unknown): string {
  const [line = ""] = (error instanceof Error ? error.message : String(error)).split("\n", 1);
  return line;
}
