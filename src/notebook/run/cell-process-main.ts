/** The program of the process in which the cells of one notebook run. See `CellProcess`. */
import { type Provenance, provenanceChannel } from "../../core/provenance.js";
import { wellFormedJson } from "../../core/well-formed-json.js";
import { KernelComms } from "../../kernel/cells/kernel-comms.js";
import { unsentError } from "../../kernel/engine/cell/cell-errors.js";
import { engineName } from "../../kernel/engine/cell/engine-name.js";
import { createEngine } from "../../kernel/engine/create-engine.js";
import { installGlobals } from "../../kernel/engine/run/install-globals.js";
import type { CellMessage, ExecuteMessage } from "./cell-messages.js";
import { endWithParent } from "./end-with-parent.js";

/** What is told becomes part of a file, which is UTF-8. */
function send(message: CellMessage): void {
  process.send?.(JSON.parse(wellFormedJson(message)));
}

provenanceChannel.subscribe((message) => {
  const { origin, generation, readAt } = message as Provenance;
  const state = generation === undefined ? {} : { generation };
  const { kind, name } = origin;
  send({ type: "source", source: { origin: { kind, name }, ...state, read_at: readAt.toISOString() } });
});

// There is no page to hear what cells send, which is no error of theirs.
installGlobals({ comms: new KernelComms({ send: () => undefined, target: () => undefined }).global });
process.on("disconnect", () => process.exit());
const engine = await createEngine({ engine: engineName(process.argv[2]) });

process.on("message", async ({ code, name }: ExecuteMessage) => {
  const outcome = await engine.execute(code, {
    name,
    sink: {
      stream: (stream, text) => send({ type: "stream", cell: name, name: stream, text }),
      display: (bundle, target) => send({ type: "display", cell: name, bundle, target }),
      clear: () => send({ type: "clear", cell: name }),
    },
  });
  try {
    send({ type: "outcome", outcome });
  } catch (error) {
    send({ type: "outcome", outcome: { status: "error", error: unsentError(error) } });
  }
});

endWithParent();
send({ type: "ready" });
