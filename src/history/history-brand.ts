/** Marks histories, so that `isHistory()` recognizes them even if their class is not loaded. */
export const historyBrand: unique symbol = Symbol.for("siteframe.history");
