import type { ServerResponse } from "node:http";
import { type Answer, bodyLength } from "./answer.js";

/** Writes an answer. To a HEAD request, Node sends the headers alone. */
export function sendAnswer(response: ServerResponse, answer: Answer): void {
  if (answer.cut === "before-headers") {
    response.req.socket.resetAndDestroy();
    return;
  }
  // Then the system has every byte, or the connection is gone.
  if (answer.release) response.once("close", answer.release);
  const length = answer.status === 304 ? {} : { "Content-Length": String(bodyLength(answer)) };
  response.writeHead(answer.status, { ...answer.headers, ...length });
  if (answer.cut) {
    cutAnswer(response, answer);
    return;
  }
  for (const chunk of answer.body) response.write(chunk);
  response.end();
}

function cutAnswer(response: ServerResponse, answer: Answer): void {
  response.flushHeaders();
  const whole = Buffer.concat(answer.body);
  const sent = answer.cut === "half-way" ? whole.subarray(0, Math.ceil(whole.byteLength / 2)) : Buffer.alloc(0);
  // What was written must be on its way before the connection goes.
  response.write(sent, () => response.req.socket.destroySoon());
}
