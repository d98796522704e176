import { escapeHtml } from "../../tables/display/text.js";

/**
 * Control sequences of a terminal: they begin with ESC, or with a character that is equivalent to ESC and a letter.
 * Sequences that move the cursor or set colors have `command` and `numbers`, hyperlinks have `link`, and other sequences show
 * nothing. A string in a sequence ends at the next sequence, so that each character is read once, even if no end follows.
 */
const SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /(?:\x1b\[|\x9b)(?<numbers>[0-?]*)[ -/]*(?<command>[@-~])|(?:\x1b\]|\x9d)(?:8;[^;\x07\x1b\x80-\x9f]*;(?<link>[^\x07\x1b\x80-\x9f]*)|[^\x07\x1b\x80-\x9f]*)(?:\x07|\x1b\\|\x9c)|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x80-\x9f]*(?:\x1b\\|\x9c)|\x1b[ -/]*[0-~]?/y;

/** Strings without control characters take the fast path. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const OBEYED = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;
const JOINS = /^(?:\p{M}|\u200d)/u;
const LINK = /^(?:https?:\/\/|mailto:)/i;
/**
 * The last column to which sequences move the cursor. A later cursor position in an emptied or different line is not beyond
 * it either, since all text there needs as many blanks before it.
 */
const FARTHEST = 250;

/** Style of a character. Equal styles are the same object. */
interface Pen {
  readonly style: string;
  readonly href: string;
}

interface Line {
  readonly characters: string[];
  readonly pens: Pen[];
}

/** The display of text in a terminal, as HTML: colors, links, and the remains of overwritten lines. */
export function terminalHtml(text: string): string {
  const plain = text.replaceAll("\r\n", "\n");
  if (!OBEYED.test(plain)) return escapeHtml(plain);
  return linesOf(plain).map(lineHtml).join("\n");
}

/** The same as plain text. */
export function terminalText(text: string): string {
  const plain = text.replaceAll("\r\n", "\n");
  return OBEYED.test(plain)
    ? linesOf(plain)
        .map(({ characters }) => characters.join(""))
        .join("\n")
    : plain;
}

function lineHtml({ characters, pens }: Line): string {
  let html = "";
  for (let from = 0; from < characters.length; ) {
    const pen = pens[from];
    let to = from + 1;
    while (to < characters.length && pens[to] === pen) to += 1;
    const escaped = escapeHtml(characters.slice(from, to).join(""));
    const styled = pen?.style ? `<span style="${pen.style}">${escaped}</span>` : escaped;
    html += pen?.href ? `<a href="${escapeHtml(pen.href)}">${styled}</a>` : styled;
    from = to;
  }
  return html;
}

/** Row and column, from 0. */
type Cursor = readonly [number, number];

/** A screen that grows as needed. */
function linesOf(text: string): readonly Line[] {
  const lines: Line[] = [{ characters: [], pens: [] }];
  const pens = new Map<string, Pen>();
  const look = new Look();
  const blank = penOf(pens, look, "");
  let pen = blank;
  let [row, column, href] = [0, 0, ""];
  const line = () => {
    while (lines.length <= row) lines.push({ characters: [], pens: [] });
    return lines[row] as Line;
  };
  const erase = (from: number, to: number) => {
    const { characters, pens: linePens } = line();
    if (to >= characters.length) {
      characters.length = Math.min(from, characters.length);
      linePens.length = characters.length;
    } else for (let at = from; at < to; at += 1) characters[at] = " ";
  };
  const put = (character: string) => {
    const { characters, pens: linePens } = line();
    for (let at = characters.length; at < column; at += 1) {
      characters.push(" ");
      linePens.push(blank);
    }
    if (JOINS.test(character) && column > 0) characters[column - 1] += character;
    else {
      characters[column] = character;
      linePens[column] = pen;
      column += 1;
    }
  };
  const move = (command: string, numbers: string) => {
    const [first = Number.NaN] = numbers.split(";").map((one) => (one === "" ? Number.NaN : Number(one)));
    const by = Math.min(Number.isNaN(first) ? 1 : Math.max(first, 1), FARTHEST);
    if (command === "m") return look.take(numbers);
    if (command === "K" && first >= 1) {
      column = Math.min(column, FARTHEST);
      erase(0, first === 1 ? column + 1 : Number.POSITIVE_INFINITY);
    } else if (command === "K") erase(column, Number.POSITIVE_INFINITY);
    else if (command === "J" && first >= 2) {
      column = Math.min(column, FARTHEST);
      lines.length = 0;
      row = 0;
    } else if (command === "J" && first !== 1) {
      erase(column, Number.POSITIVE_INFINITY);
      lines.length = row + 1;
    } else [row, column] = movedCursor([row, column], command, by, lines.length - 1);
  };
  for (let at = 0; at < text.length; ) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    SEQUENCE.lastIndex = at;
    const sequence = OBEYED.test(character) ? SEQUENCE.exec(text) : null;
    if (sequence) {
      const { command, numbers = "", link } = sequence.groups ?? {};
      if (command !== undefined) move(command, numbers);
      else if (link !== undefined) href = LINK.test(link) ? link : "";
      pen = penOf(pens, look, href);
      at += sequence[0].length;
      continue;
    }
    at += character.length;
    if (character === "\n") {
      row += 1;
      column = 0;
      line();
    } else if (character === "\r") column = 0;
    else if (character === "\b") column = Math.max(0, column - 1);
    // Some have a picture of their name; the others, and the bell, show nothing.
    else if (!OBEYED.test(character)) put(character);
    else if (character < " " && character !== "\x07") put(String.fromCharCode(0x2400 + character.charCodeAt(0)));
  }
  line();
  return lines;
}

/** Row and column of the cursor after a command that moves it. */
function movedCursor([row, column]: Cursor, command: string, by: number, lastRow: number): Cursor {
  const near = Math.min(column, FARTHEST);
  if (command === "A") return [Math.max(0, row - by), near];
  if (command === "B") return [Math.min(row + by, lastRow), near];
  if (command === "E") return [Math.min(row + by, lastRow), 0];
  if (command === "F") return [Math.max(0, row - by), 0];
  if (command === "C") return [row, Math.max(column, Math.min(column + by, FARTHEST))];
  if (command === "D") return [row, Math.max(0, column - by)];
  return [row, command === "G" ? by - 1 : column];
}

function penOf(pens: Map<string, Pen>, look: Look, href: string): Pen {
  const style = look.style;
  const key = `${style} ${href}`;
  const pen = pens.get(key) ?? { style, href };
  pens.set(key, pen);
  return pen;
}

/** Colors of the page, for light and dark; without a page, as in a control, those of light. */
const colours = [
  "var(--text, currentColor)",
  "var(--bad, #c4302b)",
  "var(--good, #1a7f42)",
  "var(--warn, #b7791f)",
  "var(--accent, #0b62c4)",
  "var(--keyword, #8a2da5)",
  "var(--type, #0d6d76)",
  "var(--soft, #5c6670)",
];

/** The style set by sequences. */
class Look {
  #marks = new Set<string>();
  #colour: string | undefined;
  #ground: string | undefined;

  get style(): string {
    const swapped = this.#marks.has("7");
    const [colour, ground] = swapped
      ? [this.#ground ?? "var(--ground, Canvas)", this.#colour ?? "currentColor"]
      : [this.#colour, this.#ground];
    return [
      ...(colour ? [`color:${colour}`] : []),
      ...(ground ? [`background:${swapped ? ground : `color-mix(in srgb, ${ground} 30%, transparent)`}`] : []),
      ...(this.#marks.has("1") ? ["font-weight:600"] : []),
      ...(this.#marks.has("2") ? ["opacity:.65"] : []),
      ...(this.#marks.has("3") ? ["font-style:italic"] : []),
      ...(this.#marks.has("4") ? ["text-decoration:underline"] : []),
    ].join(";");
  }

  /** Applies the numbers of a sequence that ends in `m`. */
  take(numbers: string): void {
    const codes = numbers.split(/[;:]/).map(Number);
    for (let at = 0; at < codes.length; at += 1) {
      const code = codes[at] as number;
      if (code === 38 || code === 48) {
        const [colour, length] = extended(codes.slice(at + 1));
        if (code === 38) this.#colour = colour;
        else this.#ground = colour;
        at += length;
      } else this.#takeOne(code);
    }
  }

  #takeOne(code: number): void {
    const tens = Math.floor(code / 10);
    if (code === 0) {
      this.#marks.clear();
      this.#colour = this.#ground = undefined;
    } else if (code <= 9) this.#marks.add(String(code));
    else if (code === 22) for (const mark of "12") this.#marks.delete(mark);
    else if (tens === 2) this.#marks.delete(String(code % 10));
    else if (tens === 3 || tens === 9) this.#colour = colours[code % 10];
    else if (tens === 4 || tens === 10) this.#ground = colours[code % 10];
  }
}

/** A color of 256, or of red, green and blue, and the count of consumed numbers. */
function extended([kind, ...rest]: readonly number[]): readonly [string | undefined, number] {
  const byte = (value = 0) => Math.min(255, Math.max(0, Number.isNaN(value) ? 0 : Math.round(value)));
  if (kind === 2) return [`rgb(${rest.slice(0, 3).map(byte).join()})`, 4];
  if (kind !== 5) return [undefined, rest.length + 1];
  const index = byte(rest[0]);
  if (index < 16) return [colours[index % 8], 2];
  if (index >= 232) return [`rgb(${Array.from({ length: 3 }, () => 8 + 10 * (index - 232)).join()})`, 2];
  const level = (step: number) => (step === 0 ? 0 : 55 + 40 * step);
  const cube = index - 16;
  return [`rgb(${[Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map(level).join()})`, 2];
}

/** Characters per line on a phone without scrolling. */
const narrow = 40;

/**
 * Preformatted text, whose lines may be wider than the page: then it scrolls, also with the keyboard.
 *
 * @param html of the text; tags in it contain no line breaks
 */
export function preformatted(html: string, attributes = ""): string {
  const letters = html.replace(/<[^>]*>/g, "").replace(/&[^;\s]+;/g, "&");
  const scrolls = letters.split("\n").some((line) => line.length > narrow);
  return `<pre${attributes}${scrolls ? ' tabindex="0"' : ""}>${html}</pre>`;
}
