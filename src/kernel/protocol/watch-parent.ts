const everyMs = 2000;

/** Calls back when the process that started this kernel has gone, so that no kernel is left behind. */
export function watchParent(onGone: () => void, env: NodeJS.ProcessEnv = process.env): void {
  if (!env["JPY_PARENT_PID"] || process.platform === "win32") return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onGone();
  }, everyMs);
  timer.unref();
}
