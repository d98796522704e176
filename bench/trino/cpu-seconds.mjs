import { readFileSync } from "node:fs";

/** Linux counts the time of processes in hundredths of a second. */
const PER_SECOND = 100;

/** How long a process has computed, in all its threads. */
export function cpuSeconds(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // A name may have anything in it, also brackets: the fields begin behind the last one.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / PER_SECOND;
}
