const TARGET = "siteframe.table";
const NAME_LENGTH = 64;
const gone = new Set(["restarting", "autorestarting", "terminating", "dead"]);

const own = (type) => ({ siteframe: "table", version: 1, type });

/**
 * Relays messages between the frames of tables in an output and the kernel that created them. It reads only the
 * envelope, and stores no messages.
 */
export class TableRelay {
  #node;
  #sessionOf;
  #session;
  /** Comms by frame. */
  #comms = new Map();
  #isCutOff = false;

  /** @param sessionOf returns JupyterLab's session around the output, if any */
  constructor(node, sessionOf) {
    this.#node = node;
    this.#sessionOf = sessionOf;
  }

  listen() {
    globalThis.addEventListener("message", this);
    this.#session = this.#sessionOf();
    for (const [signal, slot] of this.#signals()) signal.connect(slot, this);
    // Frames that already existed have sent their greeting to no relay.
    this.#tell("wake");
  }

  stop() {
    globalThis.removeEventListener("message", this);
    for (const [signal, slot] of this.#signals()) signal.disconnect(slot, this);
    this.#session = undefined;
    this.hangUp();
  }

  /** Disconnects all frames. */
  hangUp() {
    for (const comm of this.#comms.values()) close(comm);
    this.#comms.clear();
  }

  handleEvent({ source, data }) {
    const frame = source && this.#frames().find(({ contentWindow }) => contentWindow === source);
    if (!frame || !isForKernel(data)) return;
    if (data.type === "hello") this.#open(frame, data);
    else this.#ask(frame, data);
  }

  #frames() {
    return [...this.#node.querySelectorAll("iframe")];
  }

  #signals() {
    const session = this.#session;
    if (!session) return [];
    return [
      [session.kernelChanged, this.#onKernel],
      [session.statusChanged, this.#onStatus],
      [session.connectionStatusChanged, this.#onConnection],
    ];
  }

  #open(frame, hello) {
    close(this.#comms.get(frame));
    this.#comms.delete(frame);
    const kernel = this.#session?.session?.kernel;
    if (!kernel?.handleComms || gone.has(kernel.status)) {
      this.#isCutOff = true;
      return;
    }
    const comm = kernel.createComm(TARGET);
    const isHeard = () => this.#comms.get(frame) === comm;
    // Late messages of the kernel to a disconnected frame would arrive after newer ones.
    comm.onMsg = ({ content }) => {
      if (isHeard()) frame.contentWindow?.postMessage(content.data, "*");
    };
    comm.onClose = () => {
      if (!isHeard()) return;
      this.#comms.delete(frame);
      frame.contentWindow?.postMessage(own("bye"), "*");
    };
    this.#comms.set(frame, comm);
    comm.open(hello);
  }

  #ask(frame, message) {
    const comm = this.#comms.get(frame);
    if (comm && !comm.isDisposed) comm.send(message);
    else frame.contentWindow?.postMessage(own("bye"), "*");
  }

  #onKernel() {
    this.#cutOff();
    this.#reach();
  }

  #onStatus(_session, status) {
    if (gone.has(status)) this.#cutOff();
    else if (status === "idle") this.#reach();
  }

  #onConnection(_session, status) {
    if (status === "disconnected") this.#cutOff();
    else if (status === "connected") this.#reach();
  }

  #cutOff() {
    this.#comms.clear();
    this.#isCutOff = true;
    this.#tell("bye");
  }

  #reach() {
    const kernel = this.#session?.session?.kernel;
    if (!this.#isCutOff || kernel?.connectionStatus !== "connected" || kernel.status !== "idle") return;
    this.#isCutOff = false;
    this.#tell("wake");
  }

  #tell(type) {
    for (const { contentWindow } of this.#frames()) contentWindow?.postMessage(own(type), "*");
  }
}

function isForKernel(data) {
  if (typeof data !== "object" || data === null || data.siteframe !== "table" || data.version !== 1) return false;
  const isNamed = typeof data.table === "string" && data.table.length <= NAME_LENGTH;
  return isNamed && (data.type === "hello" || data.type === "ask");
}

function close(comm) {
  if (comm && !comm.isDisposed) comm.close();
}
