import { SiteframeError } from "../../core/errors.js";

/**
 * An error as a person at a terminal should see it: one sentence and what to do; the stack and the causes only when
 * they are asked for.
 */
export function reportError(error: unknown, debug: boolean): string {
  if (debug && error instanceof Error) return [error.stack ?? String(error), ...causes(error)].join("\n");
  if (error instanceof SiteframeError) return `siteframe: ${[error.message, error.hint].filter(Boolean).join(" ")}`;
  const message = error instanceof Error ? error.message : String(error);
  return `siteframe: ${firstLine(message)} (add --debug to see where)`;
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] as string;
}

function causes(error: Error): string[] {
  const found: string[] = [];
  for (let cause = error.cause; cause instanceof Error; cause = cause.cause) {
    found.push(`caused by: ${cause.stack ?? String(cause)}`);
  }
  return found;
}
