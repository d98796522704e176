import type { CompletionKind } from "./completion-kind.js";

/** Where a name comes from that cells have without importing it; `export` is left out for the whole module. */
export interface Preload {
  readonly module: string;
  readonly export?: string;
  /** Told before the types of the package have been read. */
  readonly kind: CompletionKind;
}

/** Names that cells have without importing them. They are loaded by the first cell that uses them. */
export const preloadedNames: Readonly<Record<string, Preload>> = {
  aq: { module: "arquero", kind: "module" },
  Plot: { module: "siteframe/plot", export: "Plot", kind: "module" },
  connect: { module: "siteframe", export: "connect", kind: "function" },
  openSnapshot: { module: "siteframe", export: "openSnapshot", kind: "function" },
};
