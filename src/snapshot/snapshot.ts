import { Source } from "../source/source.js";
import type { Database } from "./database.js";
import type { Manifest } from "./manifest.js";
import { SnapshotReader } from "./snapshot-reader.js";

/** A snapshot folder, opened at one of its states. Nothing that a later pull does changes its answers. */
export class Snapshot extends Source {
  /** Which state of the folder this is, from 1. */
  readonly generation: number;
  /** When its records were read: the age of the data. */
  readonly readAt: Date;

  /** @internal */
  constructor(database: Database, manifest: Manifest, path: string) {
    super(new SnapshotReader(database, manifest, path), async () => database.close());
    this.generation = manifest.generation;
    this.readAt = new Date(manifest.read_at);
  }
}
