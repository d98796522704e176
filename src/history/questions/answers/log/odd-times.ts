import { oddTimes } from "../../sql/log-statements.js";
import { askAll } from "../ask/ask.js";
import type { QuestionData } from "../ask/question-data.js";

/** How many times of the log name no zone, and how many were read as the beginning of the next second. */
export async function askOddTimes(
  data: QuestionData,
): Promise<{ readonly zoneless: number; readonly rolledOver: number }> {
  let [zoneless, rolledOver] = [0, 0];
  for await (const { columns } of askAll(data, oddTimes, undefined)) {
    zoneless += Number(columns[0]?.[0]);
    rolledOver += Number(columns[1]?.[0]);
  }
  return { zoneless, rolledOver };
}
