import type { Header } from "../wire/message.js";

/**
 * When the messages of a client were sent, by the kernel's clock. The clocks of both may differ, and messages take time: of all
 * messages of a session the one that took the least tells by how much. What is told is never earlier than it was.
 */
export class SentTimes {
  #session: string | undefined;
  /** By how much later the clock here is than what the header says, in milliseconds. */
  #offset = Number.POSITIVE_INFINITY;

  /** @param now when the message came, in milliseconds */
  of({ session, date }: Pick<Header, "session" | "date">, now: number): number {
    if (session !== this.#session) {
      this.#session = session;
      this.#offset = Number.POSITIVE_INFINITY;
    }
    const sent = Date.parse(date);
    if (Number.isNaN(sent)) return now;
    this.#offset = Math.min(this.#offset, now - sent);
    return sent + this.#offset;
  }
}
