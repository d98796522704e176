import type { Completion } from "../engine/cell/language-engine.js";
import type { LiveQuestion } from "../threads/live-question.js";
import { stringPlace } from "./string-place.js";

/** What may stand in the text that is typed, as tables that live in the session have it; undefined if nothing. */
export async function liveCompletion(
  ask: (question: LiveQuestion) => Promise<readonly string[]>,
  code: string,
  offset: number,
): Promise<Completion | undefined> {
  const place = stringPlace(code, offset);
  if (!place) return undefined;
  const { quote, typed, start, end, question } = place;
  const found = await ask(question);
  const texts = found.map((name) => JSON.stringify(name).slice(1, -1)).map((text) => quoted(text, quote));
  const matches = texts.filter((text) => text.toLowerCase().startsWith(typed.toLowerCase()));
  return matches.length > 0 ? { matches, kinds: matches.map(() => "text"), start, end } : undefined;
}

/** What JSON writes, between other quotes. */
function quoted(text: string, quote: string): string {
  return quote === '"' ? text : text.replaceAll('\\"', '"').replaceAll("'", "\\'");
}
