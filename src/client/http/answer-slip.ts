import type { ProtocolError } from "../../core/errors.js";

/** Thrown by a decoder: the answer may be a slip of the service. It is asked for again; if it stays, this is the error. */
export class AnswerSlip extends Error {
  readonly error: ProtocolError;

  constructor(error: ProtocolError) {
    super(error.message);
    this.error = error;
  }
}
