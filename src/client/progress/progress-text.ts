import type { ProgressState } from "./progress-screen.js";

/** `120,000 of 200,000 rows, 146 MB, 3 s`. */
export function progressText({ rows, total, bytes, elapsedMs }: ProgressState): string {
  const counted = total === undefined ? `${whole(rows)} rows` : `${whole(rows)} of ${whole(total)} rows`;
  return `${counted}, ${whole(bytes / 1e6)} MB, ${whole(elapsedMs / 1000)} s`;
}

/** How much of a read is done, from 0 to 1; 0 while the number of rows is not known. */
export function progressShare({ rows, total }: ProgressState): number {
  return total ? Math.min(1, rows / total) : 0;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}
