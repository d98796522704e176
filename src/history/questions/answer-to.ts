import type { ColumnTable } from "arquero";
import type { Finding } from "../../core/finding.js";
import type { Provenance } from "../../core/provenance.js";
import { withProvenance, withTableFindings } from "../../tables/column/table.js";
import { Answer } from "./answer.js";
import type { Question } from "./answers/ask/question.js";
import type { QuestionData } from "./answers/ask/question-data.js";
import { storeAnswer, writeAnswer } from "./stored-answer.js";

/** What an answer needs to know besides the question. */
export interface AskedCall {
  readonly data: QuestionData;
  /** As users write it: `asOf()`. */
  readonly call: string;
  /** Asked for when there is a table, since the date in it may be none. */
  readonly provenance: () => Provenance;
  readonly signal: AbortSignal | undefined;
  /** Takes what to know of the table, once that is there. */
  readonly onFindings: (findings: readonly Finding[]) => void;
}

/**
 * The answer to a question.
 *
 * @param question makes it; its arguments are judged when it is asked
 * @param partsOf the tables that the answer has besides
 */
export function answerTo<T extends ColumnTable>(
  { data, call, provenance, signal, onFindings }: AskedCall,
  question: () => Question<T>,
  partsOf: (table: T) => readonly ColumnTable[],
): Answer<T> {
  return new Answer({
    table: async () => {
      const asked = question();
      const table = await asked.table(signal);
      const findings = asked.findings?.() ?? [];
      withTableFindings(table, findings);
      onFindings(findings);
      for (const part of [table, ...partsOf(table)]) withProvenance(part, provenance());
      return table;
    },
    copy: async (target, storing = signal) => storeAnswer(data, call, question(), target, storing),
    sql: async (dialect) => writeAnswer(data, call, question(), dialect, signal),
  });
}
