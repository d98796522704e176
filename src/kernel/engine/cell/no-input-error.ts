import { SiteframeError } from "../../../core/errors.js";

/** A cell asked for input where no one can answer. */
export class NoInputError extends SiteframeError {
  constructor() {
    super("ERR_NO_INPUT", "The cell asks for input, but no one is there to answer.", {
      hint: "Run it in a notebook, or give the value as a parameter.",
    });
  }
}
