import type { HttpError } from "../requests/http-error.js";
import type { Answer } from "./answer.js";

/** An error as the service sends it: `{ "error": { "status", "code", "message" } }`. */
export function errorAnswer(error: HttpError): Answer {
  const { status, code, message } = error;
  return {
    status,
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      "Cache-Control": "no-store",
      ...error.headers,
    },
    body: [Buffer.from(JSON.stringify({ error: { status, code, message } }))],
  };
}
