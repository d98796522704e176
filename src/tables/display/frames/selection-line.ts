// One selection in several frames. A frame has no origin, and whoever else has a frame in the page hears what is said to
// all: so it is said in cipher, with a key that the linked frames have in their documents. See decision 9. A script of its
// own, which only frames have that are linked.
import type { FrameLink, Selection } from "../live/frame-link.js";
import { apartFrom, pickedRows } from "./picked-rows.js";
import type { SelectionLine } from "./selection-door.js";

const VERSION = 1;

type Message = Readonly<Record<string, unknown>>;

/**
 * Listens to the frames that this one is linked with.
 *
 * @param take takes what another one says
 * @returns undefined where there is nobody to speak with
 */
function openSelectionLine(take: (selection: Selection) => void): SelectionLine | undefined {
  const written = document.getElementById("link")?.textContent;
  // A page that came by plain HTTP from elsewhere has no ciphers.
  if (!written || !crypto.subtle) return undefined;
  const { group, key, table } = JSON.parse(written) as FrameLink;
  const raw = Uint8Array.from(atob(key), (letter) => letter.charCodeAt(0));
  const cipher = crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["encrypt", "decrypt"]);
  const toKernel = (type: string, more: object = {}) =>
    table && window.parent.postMessage({ siteframe: "table", version: VERSION, type, table, ...more }, "*");
  let [count, isHeard] = [0, false];
  /** What the kernel has not been told, since it did not listen yet or no longer. */
  let untold: readonly string[] | undefined;
  /** What it has been told, and has not answered. */
  let unanswered: readonly string[] | undefined;
  const tellUntold = () => {
    if (!isHeard || !untold) return;
    count += 1;
    toKernel("ask", { id: count, ids: untold });
    [untold, unanswered] = [undefined, untold];
  };

  const hear = async ({ iv, text }: Message) => {
    const plain = await crypto.subtle
      .decrypt({ name: "AES-GCM", iv: iv as BufferSource }, await cipher, text as BufferSource)
      .catch(() => undefined);
    if (!plain) return;
    const selection = JSON.parse(new TextDecoder().decode(plain)) as Selection;
    // The frame that says it tells the kernel, too.
    if (selection.ids) [untold, unanswered] = [undefined, undefined];
    take(selection);
  };
  addEventListener("message", ({ source, data }) => {
    if (typeof data !== "object" || data === null) return;
    const { siteframe, version, type, ...said } = data as Message;
    if (version !== VERSION) return;
    if (siteframe === "selection" && said["group"] === group && source !== window) void hear(said);
    if (siteframe !== "table" || source !== window.parent || (said["table"] ?? table) !== table) return;
    if (type === "wake") toKernel("hello");
    else if (type === "hello") isHeard = true;
    else if (type === "bye" || type === "gone") {
      isHeard = false;
      untold ??= unanswered;
    } else if (said["id"] === count) unanswered = undefined;
    tellUntold();
  });
  toKernel("hello");
  return {
    isLinked: true,
    rows: pickedRows,
    apartFrom,
    tell: async (selection) => {
      const iv = crypto.getRandomValues(new Uint8Array(12));
      const plain = new TextEncoder().encode(JSON.stringify(selection));
      const text = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, await cipher, plain);
      const { parent } = window;
      for (let index = 0; index < parent.length; index += 1) {
        const frame = parent[index] as Window;
        if (frame !== window) frame.postMessage({ siteframe: "selection", version: VERSION, group, iv, text }, "*");
      }
    },
    tellKernel: (ids) => {
      untold = ids;
      tellUntold();
    },
  };
}

globalThis.siteframeSelection = openSelectionLine;
