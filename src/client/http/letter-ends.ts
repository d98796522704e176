/** Escapes of escapes are followed so deep. */
const DEPTH = 4;
const HEX = /^[0-9a-f]{2}$/i;
const ENTITY = /&(?:amp;){0,3}(?:#0{0,5}(\d{1,3})|#x0{0,6}([0-9a-f]{2})|(amp|lt|gt|quot|apos));/iy;

const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Where a letter of ASCII may end that begins at a place in a text: as it is, or escaped for URLs, JSON or HTML. */
export function letterEnds(text: string, at: number, letter: string): readonly number[] {
  const begin = text[at];
  if (begin === "%") return [...literalEnds(text, at, letter), ...percentEnds(text, at, letter)];
  if (begin === "\\") return [...literalEnds(text, at, letter), ...escapeEnds(text, at, letter)];
  if (begin === "&") return [...literalEnds(text, at, letter), ...entityEnds(text, at, letter)];
  return literalEnds(text, at, letter);
}

/** The letter itself, behind backslashes if need be. */
function literalEnds(text: string, at: number, letter: string): readonly number[] {
  const ends: number[] = [];
  for (let place = at; place <= at + DEPTH; place += 1) {
    if (isSame(text[place], letter)) ends.push(place + 1);
    if (text[place] !== "\\") break;
  }
  return ends;
}

function percentEnds(text: string, at: number, letter: string): readonly number[] {
  const ends: number[] = [];
  let place = at + 1;
  for (let depth = 0; depth < DEPTH; depth += 1) {
    if (isCode(text.slice(place, place + 2), letter)) ends.push(place + 2);
    if (!text.startsWith("25", place)) break;
    place += 2;
  }
  return ends;
}

function escapeEnds(text: string, at: number, letter: string): readonly number[] {
  let place = at;
  while (text[place] === "\\" && place < at + DEPTH) place += 1;
  const start = place + (/^u00/i.test(text.slice(place, place + 3)) ? 3 : 1);
  const isEscape = start === place + 3 || /x/i.test(text[place] ?? "");
  return isEscape && isCode(text.slice(start, start + 2), letter) ? [start + 2] : [];
}

function entityEnds(text: string, at: number, letter: string): readonly number[] {
  ENTITY.lastIndex = at;
  const [entity, decimal, hex, name] = ENTITY.exec(text) ?? [];
  if (entity === undefined) return [];
  const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
  const meant = name === undefined ? String.fromCharCode(code) : named[name.toLowerCase()];
  return isSame(meant, letter) ? [at + entity.length] : [];
}

function isCode(hex: string, letter: string): boolean {
  return HEX.test(hex) && isSame(String.fromCharCode(Number.parseInt(hex, 16)), letter);
}

function isSame(found: string | undefined, letter: string): boolean {
  return found !== undefined && found.toLowerCase() === letter.toLowerCase();
}
