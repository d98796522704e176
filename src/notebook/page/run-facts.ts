/** How a notebook's run went. */
export interface RunFacts {
  readonly status?: "ok" | "failed";
  readonly durationMs?: number;
}

/** The status and the duration as HTML, for a page's bar. */
export function renderRunFacts({ status, durationMs }: RunFacts): string {
  const pill = status
    ? `<span class="status ${status}">${status === "ok" ? "ran without errors" : "failed"}</span>`
    : "";
  return durationMs === undefined ? pill : `${pill}<span>${formatDuration(durationMs)}</span>`;
}

/** `0.8 s`, `12 s`, `2 min 5 s`. */
export function formatDuration(durationMs: number): string {
  const seconds = durationMs / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
