import { EngineError } from "../../../../core/errors.js";

/** Whether an engine had too little memory for a statement: it may do for one about less. */
export function isShort(error: unknown): boolean {
  return error instanceof EngineError && error.problem === "memory";
}
