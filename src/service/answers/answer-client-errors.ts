import { type Server, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Connections } from "../requests/connections.js";
import { HttpError } from "../requests/http-error.js";
import { errorAnswer } from "./error-answer.js";

const LATE = "ERR_HTTP_REQUEST_TIMEOUT";

/** Answers what is no HTTP request, as JSON and after the answers that the connection still owes, and hangs up. */
export function answerClientErrors(server: Server, connections: Connections): void {
  server.on("clientError", (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket;
    const connection = connections.of(socket);
    const refuse = () =>
      connection?.whenSettled(() => {
        if (socket.writable) socket.write(rawAnswer(refusal(error.code)));
        socket.destroySoon();
      });
    if (error.code === LATE) connection?.whenLate(refuse);
    else refuse();
  });
}

function refusal(code: string | undefined): HttpError {
  if (code === "HPE_HEADER_OVERFLOW") {
    return new HttpError(431, "headers_too_large", "The request line and headers are too long. Send fewer values.");
  }
  if (code === LATE) {
    return new HttpError(408, "request_timeout", "The request did not arrive in time.");
  }
  return new HttpError(400, "malformed_request", "This is not an HTTP request.");
}

function rawAnswer(error: HttpError): string {
  const { status, headers, body } = errorAnswer(error);
  const text = body.join("");
  const lines = Object.entries({ ...headers, "Content-Length": Buffer.byteLength(text), Connection: "close" });
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Date: ${new Date().toUTCString()}`,
    ...lines.map(([name, value]) => `${name}: ${value}`),
    "",
    text,
  ].join("\r\n");
}
