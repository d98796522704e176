import { ArgumentError } from "../../core/errors.js";
import { sqlTokens } from "./sql-tokens.js";

/** @throws ArgumentError for a query without a statement: an empty one, one that is only a comment */
export function refuseEmpty(query: string): void {
  if (sqlTokens(query, "duckdb").some(({ text }) => text !== ";")) return;
  throw new ArgumentError(
    `The query ${query.trim() === "" ? "is empty" : "holds no statement, but a comment or `;`"}.`,
    {
      hint: "For example: FROM layer_features LIMIT 5.",
      facts: { query },
    },
  );
}
