import type { SiteframeError } from "../../core/errors.js";

/** Why an attempt brought nothing. */
export interface Failure {
  /** Whether another attempt may bring more. */
  readonly retryable: boolean;
  /** Whether the service asks for fewer requests. */
  readonly throttled: boolean;
  /** `Retry-After` headers as they came. */
  readonly retryAfter: string | readonly string[] | undefined;
  /** The error to throw if this was the last attempt. */
  readonly toError: (attempts: number) => SiteframeError;
}

/** What one attempt at a request came to. */
export type Attempt<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };
