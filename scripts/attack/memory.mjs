// Memory of a process and its child processes, on Linux.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/** Whether the memory of processes can be measured. */
export const isMeasured = process.platform === "linux";

/** Forgets the peak until now. */
export function resetPeak(pid) {
  for (const each of familyOf(pid)) ignoreMissing(() => writeFileSync(`/proc/${each}/clear_refs`, "5"));
}

/** The most memory since `resetPeak()` in MB: the sum of the peaks of the processes that run now. */
export function peakMegabytes(pid) {
  return sumOf(pid, /^VmHWM:\s+(\d+)/m);
}

/** The memory that is used now, in MB. */
export function usedMegabytes(pid) {
  return sumOf(pid, /^VmRSS:\s+(\d+)/m);
}

function sumOf(pid, line) {
  const kilobytes = familyOf(pid).map((each) => {
    const status = ignoreMissing(() => readFileSync(`/proc/${each}/status`, "utf8")) ?? "";
    // A process that has ended uses no memory.
    return Number(line.exec(status)?.[1] ?? 0);
  });
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1024;
}

/** The process and its descendants. */
function familyOf(pid) {
  if (!isMeasured) return [];
  const tasks = ignoreMissing(() => readdirSync(`/proc/${pid}/task`)) ?? [];
  const children = tasks.flatMap((task) =>
    (ignoreMissing(() => readFileSync(`/proc/${pid}/task/${task}/children`, "utf8")) ?? "").split(" ").filter(Boolean),
  );
  return [pid, ...children.flatMap((child) => familyOf(Number(child)))];
}

/** Processes may end at any time. */
function ignoreMissing(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
}
