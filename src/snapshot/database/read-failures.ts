import { join } from "node:path";
import { SiteframeError, SnapshotError } from "../../core/errors.js";
import { damagedFile, type FileDamage, findDamage } from "../folder/verify-files.js";
import { type Manifest, storedFiles } from "../format/manifest.js";
import { fileBytes } from "../format/snapshot-paths.js";

/** Matches DuckDB errors about invalid statements, independent of the files. */
const WRONG_STATEMENT =
  /^(Parser|Syntax|Binder|Catalog|Conversion|Out of Range|Out of Memory|Not implemented|Constraint|Permission)/;

/** Explains errors of reading a snapshot. */
export class ReadFailures {
  readonly #root: string;
  readonly #manifest: Manifest;
  readonly #isPartial: boolean;
  #looking: Promise<readonly FileDamage[]> | undefined;

  /** @param isPartial whether files are fetched on demand, so that a missing file is not damage */
  constructor(root: string, manifest: Manifest, isPartial = false) {
    this.#root = root;
    this.#manifest = manifest;
    this.#isPartial = isPartial;
  }

  /** Returns the error to throw for a read error: a SnapshotError with the file name if a file is damaged. */
  async explain(error: unknown): Promise<unknown> {
    if (error instanceof SiteframeError) return error;
    const hint = memoryHint(firstLine(error));
    const damage = hint === undefined ? await this.#damage(error) : undefined;
    if (damage) return damage;
    return new SnapshotError(`${this.#root} cannot be read: ${firstLine(error)}.`, {
      cause: error,
      hint: hint ?? "Check the files: siteframe verify FOLDER.",
      facts: { path: this.#root },
    });
  }

  /** Returns the error to throw for an error of a user's statement, which may be the user's mistake. */
  async explainQuery(error: unknown): Promise<unknown> {
    if (error instanceof SiteframeError || WRONG_STATEMENT.test(firstLine(error))) return error;
    return (await this.#damage(error)) ?? error;
  }

  /** Checks all files, once for all simultaneous callers. */
  async #damage(cause: unknown): Promise<SnapshotError | undefined> {
    const files = storedFiles(this.#manifest).filter(
      ({ path }) => !this.#isPartial || fileBytes(this.#root, path) !== undefined,
    );
    this.#looking ??= findDamage(this.#root, files).finally(() => {
      this.#looking = undefined;
    });
    const failure = await this.#looking;
    // Prefers the file that the error mentions.
    const damage = failure.find(({ file }) => String(cause).includes(file.path)) ?? failure[0];
    return damage && damagedFile(join(this.#root, damage.file.path), damage.problem, cause);
  }
}

/** Whether an error is a lack of memory. */
export function lacksMemory(error: unknown): boolean {
  return String(error).includes("Out of Memory");
}

/** Hint for a lack of memory. */
export function memoryHint(message: string): string | undefined {
  if (!lacksMemory(message)) return undefined;
  return "Select fewer columns or rows: only selected columns need memory.";
}

function firstLine(error: unknown): string {
  const [line = ""] = (error instanceof Error ? error.message : String(error)).split("\n", 1);
  return line;
}
