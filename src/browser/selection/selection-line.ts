// One selection in several frames. A frame has no origin, and every other frame of the page receives broadcast
// messages, so they are encrypted with a key that only the documents of the linked frames contain. See decision 9. A
// separate script, which only linked frames have.
import type { FrameLink, Selection } from "../../tables/display/live/frame-link.js";
import { apartFrom, pickedRows } from "./picked-rows.js";
import type { SelectionLine } from "./selection-door.js";

const VERSION = 1;

type Message = Readonly<Record<string, unknown>>;

/**
 * Listens to the linked frames.
 *
 * @param take receives the messages of the others
 * @returns undefined without linked frames
 */
function openSelectionLine(take: (selection: Selection) => void): SelectionLine | undefined {
  const written = document.getElementById("link")?.textContent;
  // The browser has no ciphers on pages that are loaded over plain HTTP from another host.
  if (!written || !crypto.subtle) return undefined;
  const { group, key, table } = JSON.parse(written) as FrameLink;
  const raw = Uint8Array.from(atob(key), (letter) => letter.charCodeAt(0));
  const cipher = crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["encrypt", "decrypt"]);
  const toKernel = (type: string, more: object = {}) =>
    table && window.parent.postMessage({ siteframe: "table", version: VERSION, type, table, ...more }, "*");
  let [count, isHeard] = [0, false];
  /** A selection that the kernel has not received, because it did not listen yet or no longer listens. */
  let untold: readonly string[] | undefined;
  /** The last selection sent to the kernel, until it responds. */
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
    // The sending frame also informs the kernel.
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
