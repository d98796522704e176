import type { Random } from "../base/random.js";
import type { Edit } from "./edit.js";
import type { Journal } from "./journal.js";

/** An edit from the field by someone who is sometimes out of reach of the network. */
export function fieldEdit(
  journal: Journal,
  random: Random,
  userId: number,
  key: string,
  value: unknown,
  at: number,
): Edit {
  return random.chance(0.05) ? journal.offline(userId, key, value, at) : journal.person(userId, key, value, at);
}
