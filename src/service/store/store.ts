import type { SnapshotStore } from "../../snapshot/serve/snapshot-store.js";

/** The store interface of the service. The code that opened a store closes it. */
export type Store = Omit<SnapshotStore, "close">;
