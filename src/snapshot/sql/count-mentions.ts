import { foldCase } from "../../tables/sql/sql-identifier.js";
import { WORD_SIGN } from "./sql-tokens.js";

/**
 * How often a name stands in a query as a whole: never less often than it is meant. It is also counted in texts,
 * comments and longer names in quotes, since what those are is for the database to say.
 */
export function countMentions(query: string, name: string): number {
  // A name in quotes has those that are its own twice.
  const forms = [name.replaceAll('"', '""'), name].map((form) =>
    foldCase(form).replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"),
  );
  const mention = new RegExp(`(?<!${WORD_SIGN})(?:${forms.join("|")})(?!${WORD_SIGN})`, "g");
  return foldCase(query).match(mention)?.length ?? 0;
}
