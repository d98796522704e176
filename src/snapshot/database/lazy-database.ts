import { SnapshotError } from "../../core/errors.js";
import type { Manifest } from "../format/manifest.js";
import type { FileFetcher } from "../remote/remote-folder.js";
import type { Database, DatabaseOptions } from "./database.js";

type LazyDatabaseOptions = Pick<DatabaseOptions, "sandbox" | "fetcher">;

/** The database of a snapshot, opened on first use, since layers do not need it. */
export class LazyDatabase {
  readonly #root: string;
  readonly #manifest: Manifest;
  readonly #sandbox: readonly string[] | undefined;
  readonly #fetcher: FileFetcher | undefined;
  #database: Promise<Database> | undefined;
  #isClosed = false;

  /** @param options of `Database.open()` */
  constructor(root: string, manifest: Manifest, { sandbox, fetcher }: LazyDatabaseOptions = {}) {
    this.#root = root;
    this.#manifest = manifest;
    this.#sandbox = sandbox;
    this.#fetcher = fetcher;
  }

  /** @throws SnapshotError if the snapshot was closed */
  get(): Promise<Database> {
    this.checkOpen();
    this.#database ??= this.#open();
    return this.#database;
  }

  /** @throws SnapshotError if the snapshot was closed */
  checkOpen(): void {
    if (!this.#isClosed) return;
    throw new SnapshotError(`The snapshot ${this.#root} was closed.`, { facts: { path: this.#root } });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const database = await this.#database?.catch(() => undefined);
    database?.close();
    this.#database = undefined;
  }

  /** A failed database is opened again by the next query. */
  async #open(): Promise<Database> {
    try {
      const { Database } = await import("./database.js");
      return await Database.open(this.#root, this.#manifest, { sandbox: this.#sandbox, fetcher: this.#fetcher });
    } catch (error) {
      this.#database = undefined;
      throw error;
    }
  }
}
