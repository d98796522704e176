import { ApiError, AuthError, BadRequestError, RateLimitError, type Refusal, ServerError } from "../../core/errors.js";
import { requestText } from "../page/request-text.js";
import type { Failure } from "./attempt.js";
import type { Answer } from "./send-request.js";

const EXCERPT = 500;

/** Why an answer other than success brought nothing. */
export function refusal(answer: Answer, url: string): Failure {
  const { status } = answer;
  const body = new TextDecoder().decode(answer.body.subarray(0, 64_000));
  return {
    retryable: status === 408 || status === 425 || status === 429 || status >= 500,
    throttled: status === 429 || status === 503,
    retryAfter: answer.headers["retry-after"],
    toError: (attempts) => {
      const said = serviceMessage(body);
      const message = `${requestText(url, attempts)} was answered ${status}${said ? `: ${said}` : "."}`;
      const hint = hintFor(status, String(answer.headers["location"] ?? ""));
      return errorFor(message, {
        status,
        method: "GET",
        url,
        body: excerpt(body),
        facts: { attempts },
        ...(hint ? { hint } : {}),
      });
    },
  };
}

function errorFor(message: string, facts: Refusal): ApiError {
  if (facts.status === 400) return new BadRequestError(message, facts);
  if (facts.status === 401) return new AuthError(message, facts);
  if (facts.status === 429) return new RateLimitError(message, facts);
  if (facts.status >= 500) return new ServerError(message, facts);
  return new ApiError(message, facts);
}

function hintFor(status: number, location: string): string | undefined {
  if (status >= 300 && status < 400) {
    const target = URL.canParse(location) ? ` It points to ${new URL(location).origin}.` : "";
    return `Redirects are not followed, because the key would travel with them.${target} Set the base URL to the address that answers itself.`;
  }
  if (status === 401) return "Check the API key (apiKey or SITEFRAME_API_KEY).";
  if (status === 404) return "Check the base URL (baseUrl or SITEFRAME_BASE_URL), its path included.";
  if (status === 429) return "Ask for less at once: lower the option concurrency.";
  return undefined;
}

/** The message in a body `{ error: { status, code, message } }`; the specification shows no shape of errors. */
function serviceMessage(body: string): string | undefined {
  try {
    const parsed: { error?: { message?: unknown } } | null = JSON.parse(body);
    const message = parsed?.error?.message;
    return typeof message === "string" ? excerpt(message) : undefined;
  } catch {
    return undefined;
  }
}

/** The ellipsis also tells whoever looks for a key that the text was cut there. */
function excerpt(text: string): string {
  return text.length > EXCERPT ? `${text.slice(0, EXCERPT - 1)}…` : text;
}
