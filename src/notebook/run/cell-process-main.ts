/** The program of the process in which the cells of one notebook run. See `CellProcess`. */

import { wellFormedJson } from "../../core/json.js";
import { type Provenance, provenanceChannel } from "../../core/provenance.js";
import { unsentError } from "../../kernel/engine/cell/cell-errors.js";
import { engineName, keepNumbersUnboxed } from "../../kernel/engine/cell/engine-name.js";
import type { PlannedCell } from "../../kernel/engine/cell/language-engine.js";
import { createEngine } from "../../kernel/engine/create-engine.js";
import { installGlobals } from "../../kernel/engine/run/install-globals.js";
import type { CellMessage, ToCellsMessage } from "./cell-messages.js";
import { endWithParent } from "./end-with-parent.js";
import { loadAhead } from "./load-ahead.js";

/** Kept as they are: a cell could replace them while it runs. */
const [{ parse }, told] = [JSON, process.send?.bind(process)];

/** What is told becomes part of a file, which is UTF-8. */
function send(message: CellMessage): void {
  told?.(parse(wellFormedJson(message)));
}

provenanceChannel.subscribe((message) => {
  const { origin, generation, readAt } = message as Provenance;
  const state = generation === undefined ? {} : { generation };
  const { kind, name } = origin;
  send({ type: "source", source: { origin: { kind, name }, ...state, read_at: readAt.toISOString() } });
});

keepNumbersUnboxed();
process.on("disconnect", () => process.exit());
const engine = await createEngine({ engine: engineName(process.argv[2]), isBrief: true });
const { KernelComms } = await import("../../kernel/cells/kernel-comms.js");
// There is no page to hear what cells send, which is no error of theirs.
installGlobals({ comms: new KernelComms({ send: () => undefined, target: () => undefined }).global });

async function execute({ code, name }: PlannedCell): Promise<void> {
  try {
    const outcome = await engine.execute(code, {
      name,
      sink: {
        paints: true,
        stream: (stream, text) => send({ type: "stream", cell: name, name: stream, text }),
        display: (bundle, target) => send({ type: "display", cell: name, bundle, target }),
        clear: () => send({ type: "clear", cell: name }),
      },
    });
    send({ type: "outcome", outcome });
  } catch (error) {
    send({ type: "outcome", outcome: { status: "error", error: unsentError(error) } });
  }
}

process.on("message", (message: ToCellsMessage) => {
  if (message.type === "execute") {
    void execute(message.cell);
    return;
  }
  const { cells } = message;
  void engine.prepare(cells, () => loadAhead(cells.map(({ code }) => code)));
});

endWithParent();
send({ type: "ready" });
