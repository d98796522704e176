/** How many tasks may be under way at once, for whoever shares the gate. */
export class PageGate {
  readonly #most: number;
  #underWay = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Lets a task begin if there is room. Who has none under way is always let in: it could not go on otherwise.
   *
   * @param own tasks that the caller has under way
   */
  enter(own: number): boolean {
    if (own > 0 && this.#underWay >= this.#most) return false;
    this.#underWay += 1;
    return true;
  }

  /** Says that a task has ended. */
  leave(): void {
    this.#underWay -= 1;
  }
}
