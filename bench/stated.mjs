// Ratios that texts state. `stated.json` lists the texts by file, with the name of a ratio in braces instead of its number.
import { readFileSync } from "node:fs";

/** Two digits: 8.7, 17, 0.39. */
export function rounded(ratio) {
  return Number(ratio.toPrecision(2));
}

/**
 * Ratios that files of `root` state.
 *
 * @throws if a file does not have one of its texts exactly once
 */
export function statedRatios(root) {
  const lists = JSON.parse(readFileSync(new URL("stated.json", import.meta.url), "utf8"));
  return Object.entries(lists).flatMap(([file, texts]) => {
    const content = readFileSync(new URL(file, root), "utf8");
    return texts.flatMap((text) => ratiosOf(file, content, text));
  });
}

function ratiosOf(file, content, text) {
  const parts = text.split(/\{([^}]+)\}/);
  const names = parts.filter((_, index) => index % 2 === 1);
  const source = parts.map((part, index) => (index % 2 === 1 ? "(\\d+(?:\\.\\d+)?)" : escaped(part))).join("");
  const matches = [...content.matchAll(new RegExp(source, "dg"))];
  if (matches.length !== 1) throw new Error(`${file} has ${matches.length} times: ${text}`);
  const [{ index, indices, 0: found, ...numbers }] = matches;
  const range = { start: index, end: index + found.length };
  return names.map((name, place) => ({
    ...{ file, text, name, range, number: Number(numbers[place + 1]) },
    numberRange: { start: indices[place + 1][0], end: indices[place + 1][1] },
  }));
}

function escaped(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
