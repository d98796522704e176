/** Widths of a character in ems, generous for the fonts of `system-ui`. */
const width = { upper: 0.72, other: 0.58 } as const;

/** About how wide a text is; without a browser nothing can be measured. */
export function textWidth(text: string, fontSize: number): number {
  const ems = text.split("\n").map((line) => {
    const upper = line.match(/\p{Lu}/gu)?.length ?? 0;
    return upper * width.upper + (line.length - upper) * width.other;
  });
  return Math.max(...ems) * fontSize;
}
