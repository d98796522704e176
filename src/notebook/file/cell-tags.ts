import type { Cell } from "./notebook.js";

/** The tags of a cell; papermill marks the cell of parameters with the tag `parameters`. */
export function cellTags({ metadata }: Cell): readonly string[] {
  const tags = metadata["tags"];
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : [];
}
