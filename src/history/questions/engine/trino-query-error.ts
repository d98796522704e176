import { EngineError, type EngineProblem } from "../../../core/errors.js";
import type { TrinoQueryError } from "./trino-page.js";
import type { TrinoServer } from "./trino-server.js";

const LONGEST_MESSAGE = 1000;

/** What a name of Trino's stands for, where it does not stand for a query that is wrong. */
const problems: Readonly<Record<string, EngineProblem>> = {
  ABANDONED_TASK: "worker-lost",
  NO_NODES_AVAILABLE: "worker-lost",
  PAGE_TRANSPORT_ERROR: "worker-lost",
  PAGE_TRANSPORT_TIMEOUT: "worker-lost",
  REMOTE_HOST_GONE: "worker-lost",
  REMOTE_TASK_ERROR: "worker-lost",
  REMOTE_TASK_MISMATCH: "worker-lost",
  TOO_MANY_REQUESTS_FAILED: "worker-lost",
  CLUSTER_OUT_OF_MEMORY: "memory",
  EXCEEDED_GLOBAL_MEMORY_LIMIT: "memory",
  EXCEEDED_LOCAL_MEMORY_LIMIT: "memory",
  EXCEEDED_MEMORY_LIMIT: "memory",
  EXCEEDED_REVOCABLE_MEMORY_LIMIT: "memory",
  OUT_OF_SPILL_SPACE: "memory",
  EXCEEDED_CPU_LIMIT: "slow",
  EXCEEDED_TIME_LIMIT: "slow",
  PERMISSION_DENIED: "refused",
  QUERY_REJECTED: "refused",
  QUERY_QUEUE_FULL: "unreachable",
  SERVER_SHUTTING_DOWN: "unreachable",
  SERVER_STARTING_UP: "unreachable",
};

const hints: Readonly<Record<EngineProblem, string>> = {
  "worker-lost": "Ask again when the engine's workers are there: it runs a query anew, not from where it was.",
  memory:
    "Ask for fewer sites, columns or dates at once, raise query_max_memory in the option session, or give the workers more.",
  slow: "Raise query_max_run_time in the option session, or ask for less at once.",
  refused: "Ask whoever keeps the engine what the user may do.",
  unreachable: "The engine starts, stops, or has more to do than it can: ask again later.",
  failed: "Look the query up by its id in the engine's list of queries.",
};

const undeclared = /^(TABLE|SCHEMA|CATALOG)_NOT_FOUND$/;

/** Why a query has no answer, in the engine's own words. */
export function trinoQueryError(server: TrinoServer, queryId: string, error: TrinoQueryError): EngineError {
  const problem = problems[error.name] ?? "failed";
  const message =
    error.message.length > LONGEST_MESSAGE ? `${error.message.slice(0, LONGEST_MESSAGE)}…` : error.message;
  return server.withoutSecret(
    new EngineError(`${server.name} could not answer query ${queryId}: ${error.name}: ${message}`, server.name, {
      problem,
      queryId,
      facts: { errorName: error.name, errorType: error.type },
      hint: undeclared.test(error.name)
        ? "Check the options catalog and schema: siteframe ddl trino declares the tables of a folder."
        : hints[problem],
    }),
  );
}
