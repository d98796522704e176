import type { Endpoint } from "../../api/endpoints.js";
import type { ParsedQuery } from "../../api/parse-query.js";
import { readGeneration } from "../folder/manifest-file.js";
import { contentVersion } from "../format/manifest.js";
import { type FolderStore, openStore } from "./open-store.js";
import { type Access, type SnapshotStore, type StoredPage, StoreMovedError } from "./snapshot-store.js";

/** Event of a store that now serves another generation of its folder. */
export interface StoreMove {
  /** The generation that it served, which the folder no longer has. */
  readonly from: number;
  readonly to: number;
}

/**
 * Opens a snapshot folder for serving: the newest generation, and after that has been removed, the newest one at that
 * time.
 *
 * @param onMove is called after each move
 * @throws SnapshotError under the same conditions as `openStore`
 */
export async function openNewestStore(path: string, onMove: (move: StoreMove) => void): Promise<SnapshotStore> {
  return new NewestStore(path, await openStore(path), onMove);
}

class NewestStore implements SnapshotStore {
  readonly #path: string;
  readonly #onMove: (move: StoreMove) => void;
  readonly #underWay = new Map<FolderStore, number>();
  #store: FolderStore;
  #moving: Promise<void> | undefined;

  constructor(path: string, store: FolderStore, onMove: (move: StoreMove) => void) {
    this.#path = path;
    this.#store = store;
    this.#onMove = onMove;
  }

  get version(): string {
    return this.#store.version;
  }

  async page(endpoint: Endpoint, query: ParsedQuery, access: Access, signal?: AbortSignal): Promise<StoredPage> {
    const store = this.#store;
    this.#underWay.set(store, (this.#underWay.get(store) ?? 0) + 1);
    try {
      return await store.page(endpoint, query, access, signal);
    } catch (error) {
      signal?.throwIfAborted();
      await this.#moveFrom(store);
      throw store === this.#store ? error : new StoreMovedError();
    } finally {
      this.#underWay.set(store, (this.#underWay.get(store) ?? 1) - 1);
      await this.#closeIfLeft(store);
    }
  }

  async close(): Promise<void> {
    await this.#moving?.catch(() => {});
    await this.#store.close();
  }

  /** Replaces a store whose generation the folder no longer has. */
  async #moveFrom(store: FolderStore): Promise<void> {
    if (store !== this.#store) return;
    this.#moving ??= this.#move(store).finally(() => {
      this.#moving = undefined;
    });
    await this.#moving;
  }

  async #move(store: FolderStore): Promise<void> {
    const manifest = await readGeneration(this.#path, store.generation).catch(() => undefined);
    if (manifest && contentVersion(manifest) === store.version) return;
    this.#store = await openStore(this.#path);
    this.#onMove({ from: store.generation, to: this.#store.generation });
  }

  async #closeIfLeft(store: FolderStore): Promise<void> {
    if (store === this.#store || this.#underWay.get(store) !== 0) return;
    this.#underWay.delete(store);
    await store.close();
  }
}
