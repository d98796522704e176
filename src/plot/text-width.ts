/** Widths of a character in ems, generous for the fonts of `system-ui`. */
const characterWidth = 0.58;

/** About how wide a text is; without a browser nothing can be measured. */
export function textWidth(text: string, fontSize: number): number {
  const longest = Math.max(...text.split("\n").map((line) => line.length));
  return longest * characterWidth * fontSize;
}
