import type { CellNames } from "../analyze/cell-names.js";

/** How many lines stand before a cell in what the compiler sees. */
export const linesBefore = 1;

/** A cell as the compiler sees it: after a line that declares what is of earlier cells, and exporting all its names. */
export function cellText(code: string, before: string, names?: CellNames): string {
  if (!names) return `${before}\n${code}`;
  const { values, types, ambient, exported } = names;
  const own = [...new Set([...values.keys(), ...types, ...ambient])].filter((name) => !exported.has(name));
  return `${before}\n${code}\nexport { ${own.join(", ")} };`;
}

/** Where an offset of a cell is in such a text. */
export function positionIn(code: string, offset: number): { line: number; character: number } {
  const lines = code.slice(0, offset).split("\n");
  return { line: lines.length - 1 + linesBefore, character: lines.at(-1)?.length ?? 0 };
}
