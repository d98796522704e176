import type { FromRunner } from "../threads/thread-messages.js";
import type { Message } from "../wire/message.js";
import type { MessageFactory } from "../wire/message-factory.js";
import type { Sockets } from "../wire/sockets.js";
import type { RunnerClient } from "./runner-client.js";

type Question = Extract<FromRunner, { readonly type: "question" }>;

/** Puts the questions of cells to whoever runs them, one at a time. */
export class InputDesk {
  readonly #sockets: Sockets;
  readonly #messages: MessageFactory;
  readonly #runner: () => RunnerClient;
  readonly #waiting: { readonly question: Question; readonly request: Message }[] = [];

  constructor(sockets: Sockets, messages: MessageFactory, runner: () => RunnerClient) {
    this.#sockets = sockets;
    this.#messages = messages;
    this.#runner = runner;
  }

  ask(question: Question, request: Message): void {
    this.#waiting.push({ question, request });
    if (this.#waiting.length === 1) this.#next();
  }

  reply({ content }: Message): void {
    const answered = this.#waiting.shift();
    if (!answered) return;
    this.#runner().answer(answered.question.question, String(content["value"] ?? ""));
    this.#next();
  }

  /** Forgets all questions, whose cells were interrupted. */
  clear(): void {
    this.#waiting.length = 0;
  }

  #next(): void {
    const next = this.#waiting[0];
    if (!next) return;
    const { identities, header: parent } = next.request;
    this.#sockets.send(
      "stdin",
      this.#messages.create("input_request", { ...next.question.asked }, { identities, parent }),
    );
  }
}
