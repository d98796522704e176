import { createWriteStream, existsSync, renameSync } from "node:fs";
import { finished } from "node:stream/promises";
import { dataPath } from "../share.mjs";
import { xorshift } from "../xorshift.mjs";

const LINES = 1000;

/** The path of a log of changes in CSV; written if absent. */
export async function csvLog(rows) {
  const path = dataPath(`log-${rows}.csv`);
  if (existsSync(path)) return path;
  const random = xorshift(7);
  const below = (count) => Math.floor(random() * count);
  const states = ["Open", "In progress", "In review", "Blocked", "Done"];
  const values = [
    () => ["status", states[below(states.length)]],
    () => ["assignee", `user${below(200)}`],
    () => ["points", below(13)],
    () => ["summary", `"Text, number ${below(100_000)}"`],
  ];
  const out = createWriteStream(`${path}.unfinished`);
  out.write("issue,field,value,changed_at,author\n");
  let time = Date.UTC(2020, 0, 1);
  for (let row = 0; row < rows; row += LINES) {
    const lines = Array.from({ length: LINES }, () => {
      time += below(200_000);
      const [key, value] = values[below(values.length)]();
      return `PRJ-${below(50_000)},${key},${value},${new Date(time).toISOString()},user${below(211)}\n`;
    });
    out.write(lines.join(""));
  }
  await finished(out.end());
  renameSync(`${path}.unfinished`, path);
  return path;
}
