import type { EngineRows } from "../../engine/engine.js";

/** An answer that an engine is already at work on. */
export class AskedPart {
  /** Its first rows; undefined where there are none. */
  readonly first: Promise<EngineRows | undefined>;
  readonly #answer: AsyncGenerator<EngineRows, void, undefined>;

  constructor(answer: AsyncGenerator<EngineRows, void, undefined>) {
    this.#answer = answer;
    this.first = this.more();
    // Whoever reads is told of an error; nobody may.
    this.first.catch(() => undefined);
  }

  /** The rows behind those that were read. */
  async more(): Promise<EngineRows | undefined> {
    return (await this.#answer.next()).value ?? undefined;
  }

  /** Ends it, read or not. */
  async close(): Promise<void> {
    await this.#answer.return();
  }
}
