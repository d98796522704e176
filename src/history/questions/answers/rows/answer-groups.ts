import { ValueDictionary } from "../../../log/value-dictionary.js";
import { UNKNOWN_MARK } from "../../sql/cell-values.js";
import type { Grouping } from "../../sql/cte/step-ctes.js";
import type { QuestionData } from "../ask/question-data.js";
import { plainValue } from "./plain-value.js";

/** The groups that the rows of an answer are about, by code. */
export class AnswerGroups {
  readonly #data: QuestionData;
  readonly #by: Grouping;
  readonly #dictionary = new ValueDictionary();

  constructor(data: QuestionData, by: Grouping) {
    this.#data = data;
    this.#by = by;
    // The one group of all is there without a feature.
    if (by.kind === "none") this.#dictionary.code(null);
  }

  get values(): readonly unknown[] {
    return this.#dictionary.values;
  }

  /**
   * Code of a group.
   *
   * @param text what a property holds, as JSON text with or as a mark
   * @param example id of a feature of the group
   */
  code(text: unknown, example: unknown): number {
    if (this.#by.kind === "none") return this.#dictionary.code(null);
    if (this.#by.kind === "column") return this.#dictionary.code(text === UNKNOWN_MARK ? null : plainValue(text));
    const row = this.#data.rowOf.get(Number(example));
    return this.#dictionary.code(row === undefined ? null : this.#data.features.base(this.#by.field).at(row));
  }
}
