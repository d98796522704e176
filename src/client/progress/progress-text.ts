import type { Progress } from "../ask/read-options.js";

/** `120,000 of 200,000 rows, 146 MB, 3 s`; `120,000 rows, 35 %, 146 MB, 3 s` while the number of rows is not known. */
export function progressText({ rows, total, share, bytes }: Progress, elapsedMs: number): string {
  const part = share > 0 ? `, ${whole(share * 100)} %` : "";
  const counted = total === undefined ? `${whole(rows)} rows${part}` : `${whole(rows)} of ${whole(total)} rows`;
  return `${counted}, ${whole(bytes / 1e6)} MB, ${whole(elapsedMs / 1000)} s`;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}
