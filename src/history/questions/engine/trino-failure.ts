import type { Failure } from "../../../client/http/attempt.js";
import { networkReason } from "../../../client/http/network-reason.js";
import type { Answer } from "../../../client/http/send-request.js";
import { EngineError, type EngineProblem, ProtocolError, type SiteframeErrorOptions } from "../../../core/errors.js";
import type { TrinoRequest, TrinoService } from "./trino-service.js";

const EXCERPT = 300;

/** The address of the engine is wrong, or nobody answers there. */
export function noAnswer(service: TrinoService, request: TrinoRequest, error: unknown): Failure {
  const { code, reason, isFinal, cause } = networkReason(error);
  return failure(!isFinal, (attempts) =>
    engineError(service, request, "unreachable", `cannot be reached: ${reason}${tried(attempts)}.`, {
      cause,
      facts: { attempts, code },
      hint: "Check the option server, and whether the engine runs.",
    }),
  );
}

export function tooSlow(service: TrinoService, request: TrinoRequest): Failure {
  const { timeoutMs } = service.options;
  return failure(true, (attempts) =>
    engineError(service, request, "slow", `gave no complete answer within ${timeoutMs} ms${tried(attempts)}.`, {
      facts: { attempts, timeoutMs },
      hint: "Raise the option timeoutMs, or look in the engine's list of queries what it does.",
    }),
  );
}

/** The answer is longer than allowed; it would be the next time too. */
export function tooLong({ options, server }: TrinoService, request: TrinoRequest): Failure {
  const message = `${server.name} answered with more than ${options.maxBodyBytes} bytes at once.`;
  return failure(
    false,
    () =>
      new ProtocolError(message, "$", {
        facts: { engine: server.name, maxBodyBytes: options.maxBodyBytes, ...queryFact(request) },
        hint: "Raise the option maxBodyBytes if there are such values.",
      }),
  );
}

/** The answer arrived but could not be read: a page for people, or broken off. */
export function bodyFailure({ server }: TrinoService, request: TrinoRequest, error: unknown): Failure {
  const { reason, cause } = networkReason(error);
  // The engine's own text, which JSON's errors quote, may be anyone's data.
  const said = error instanceof SyntaxError ? "it is not JSON" : reason;
  return failure(
    true,
    (attempts) =>
      new ProtocolError(`${server.name} answered what cannot be read: ${said}${tried(attempts)}.`, "$", {
        ...(error instanceof SyntaxError ? {} : { cause }),
        facts: { engine: server.name, attempts, ...queryFact(request) },
        hint: "Check that the option server is Trino's address, not that of a page or proxy in front of it.",
      }),
  );
}

/** An answer other than success. */
export function refusedRequest(service: TrinoService, request: TrinoRequest, answer: Answer, body: string): Failure {
  const { status } = answer;
  const said = excerpt(body);
  const about = {
    facts: { status, method: request.method },
    hint: hintFor(status, request, String(answer.headers["location"] ?? "")),
  };
  return {
    retryable: isRetried(status),
    throttled: status === 429 || status === 503,
    retryAfter: answer.headers["retry-after"],
    toError: (attempts) =>
      engineError(
        service,
        request,
        problemOf(status),
        `answered ${status}${tried(attempts)}${said ? `: ${said}` : "."}`,
        {
          ...about,
          facts: { ...about.facts, attempts },
        },
      ),
  };
}

/** What Trino's description of its protocol allows to repeat, and what proxies answer for an engine that starts. */
function isRetried(status: number): boolean {
  return status === 429 || status === 502 || status === 503 || status === 504;
}

function problemOf(status: number): EngineProblem {
  if (status === 401 || status === 403) return "refused";
  return isRetried(status) ? "unreachable" : "failed";
}

function hintFor(status: number, { queryId }: TrinoRequest, location: string): string {
  if (status === 401 || status === 403) return "Check the options user and auth, and what the user may see.";
  if (status >= 300 && status < 400) {
    const target = URL.canParse(location) ? ` It points to ${new URL(location).origin}.` : "";
    return `Redirects are not followed, because the key would travel with them.${target} Set the option server to the address that answers itself.`;
  }
  if (isRetried(status)) return "The engine starts, or has more to do than it can: ask again later.";
  if (queryId !== undefined && (status === 404 || status === 410)) {
    return "The engine forgot the query: it does when it starts anew, and where nobody fetched rows for five minutes. Ask again.";
  }
  return "Check that the option server is the address of Trino's coordinator.";
}

function failure(retryable: boolean, toError: Failure["toError"]): Failure {
  return { retryable, throttled: false, retryAfter: undefined, toError };
}

function engineError(
  { server }: TrinoService,
  { queryId }: TrinoRequest,
  problem: EngineProblem,
  message: string,
  options: SiteframeErrorOptions,
): EngineError {
  const about = queryId === undefined ? "" : ` for query ${queryId}`;
  return new EngineError(`${server.name}${about} ${message}`, server.name, { problem, queryId, ...options });
}

function queryFact({ queryId }: TrinoRequest): { query_id?: string } {
  return queryId === undefined ? {} : { query_id: queryId };
}

function tried(attempts: number): string {
  return attempts > 1 ? ` (${attempts} attempts)` : "";
}

/** The start of what an answer says to people; of a page for a browser, nothing. */
function excerpt(body: string): string {
  if (/^\s*</.test(body)) return "";
  const text = body.trim().replace(/\s+/g, " ");
  return text.length > EXCERPT ? `${text.slice(0, EXCERPT - 1)}…` : text;
}
