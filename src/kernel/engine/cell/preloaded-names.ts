/** Where a name comes from that cells have without importing it; `export` is left out for the whole module. */
export interface Preload {
  readonly module: string;
  readonly export?: string;
}

/** Names that cells have without importing them. They are loaded by the first cell that uses them. */
export const preloadedNames: Readonly<Record<string, Preload>> = {
  aq: { module: "arquero" },
  Plot: { module: "siteframe/plot", export: "Plot" },
  connect: { module: "siteframe", export: "connect" },
  openSnapshot: { module: "siteframe", export: "openSnapshot" },
};
