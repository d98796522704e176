import type { Finding } from "../../core/finding.js";
import { showValue } from "../../core/show-value.js";

/** Ids that a finding lists. */
const MOST_EXAMPLES = 10;

/** Counts the ids of a relation that lead nowhere, and keeps some of them. */
export class UnresolvedIds {
  readonly #examples = new Set<unknown>();
  #count = 0;

  add(id: unknown): void {
    this.#count += 1;
    if (this.#examples.size < MOST_EXAMPLES) this.#examples.add(id);
  }

  /**
   * @param whose the features that ids should be of: `of the related layer`
   * @param then what follows from it
   */
  findings(relation: string, whose: string, then: string): readonly Finding[] {
    if (this.#count === 0) return [];
    const examples = [...this.#examples];
    const [ids, are] = this.#count === 1 ? ["id", "is"] : ["ids", "are"];
    return [
      {
        code: "unresolved-relation",
        message: `${this.#count} ${ids} in ${showValue(relation)} ${are} of no feature ${whose}, such as ${showValue(examples[0])}; ${then}.`,
        count: this.#count,
        facts: { column: relation, ids: examples },
      },
    ];
  }
}
