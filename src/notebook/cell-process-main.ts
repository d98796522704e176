/** The program of the process in which the cells of one notebook run. See `CellProcess`. */
import { createEngine } from "../kernel/engine/create-engine.js";
import type { CellMessage, ExecuteMessage } from "./cell-messages.js";

function send(message: CellMessage): void {
  process.send?.(message);
}

const engine = await createEngine();

process.on("message", async ({ code, name }: ExecuteMessage) => {
  const outcome = await engine.execute(code, {
    name,
    sink: {
      stream: (stream, text) => send({ type: "stream", cell: name, name: stream, text }),
      display: (bundle, target) => send({ type: "display", cell: name, bundle, target }),
      clear: () => send({ type: "clear", cell: name }),
    },
  });
  send({ type: "outcome", outcome });
});

process.on("disconnect", () => process.exit());
send({ type: "ready" });
