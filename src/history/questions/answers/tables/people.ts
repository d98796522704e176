import { type Actor, newActor, type People, peopleTable } from "../../../tables/people.js";
import { LocalClock } from "../../../time/local-clock.js";
import { shownUser } from "../../answer-rows.js";
import { askAll, type Question, type QuestionData } from "../../ask.js";
import { peopleRows, peopleTable as peopleStatement } from "../../sql/tables/people.js";

/** Who edited, and when by clocks. */
export function people(data: QuestionData): Question<People> {
  return { table: (signal) => table(data, signal), statement: (scope) => peopleStatement(scope), namesPersons: true };
}

async function table(data: QuestionData, signal: AbortSignal | undefined): Promise<People> {
  const { firstUs, lastUs } = data.extent;
  const offsets = new LocalClock(data.timeZone).offsetsBetween(firstUs, lastUs);
  const actors = new Map<string, Actor>();
  if (data.columns.length > 0) {
    for await (const { rowCount, columns } of askAll(data, (scope) => peopleRows(scope, offsets), signal)) {
      const [users, systems, hours, counts, firsts, lasts] = columns;
      for (let index = 0; index < rowCount; index += 1) {
        const [user, system] = [users?.[index] ?? null, systems?.[index] === true];
        const key = `${user} ${system}`;
        const actor = actors.get(key) ?? newActor(shownUser(data, user === null ? Number.NaN : Number(user)), system);
        actors.set(key, actor);
        const [hour, edits] = [Number(hours?.[index]), Number(counts?.[index])];
        actor.edits += edits;
        actor.firstUs = Math.min(actor.firstUs, Number(firsts?.[index]));
        actor.lastUs = Math.max(actor.lastUs, Number(lasts?.[index]));
        actor.week[hour] = (actor.week[hour] as number) + edits;
      }
    }
  }
  return peopleTable(actors.values());
}
