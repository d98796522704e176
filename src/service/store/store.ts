import type { SnapshotStore } from "../../snapshot/serve/snapshot-store.js";

/** What the service needs of a store. Whoever opened it closes it. */
export type Store = Omit<SnapshotStore, "close">;
