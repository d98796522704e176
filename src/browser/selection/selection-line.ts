// One selection in several frames. A frame has no origin, and every other frame of the page receives broadcast
// messages, so they are encrypted with a key that only the documents of the linked frames contain. See decision 9. A
// separate script, which only linked frames have.
import type { FrameLink, Selection } from "../../tables/display/live/frame-link.js";
import { type Message, openChannel } from "../page/channel.js";
import { apartFrom, pickedRows } from "./picked-rows.js";
import type { SelectionLine } from "./selection.js";

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
  const send = openChannel(
    "selection",
    (message) => {
      if (message["group"] === group) void hear(message);
    },
    true,
  );
  const post = openChannel("table", ({ type, table: named = table, id }) => {
    if (named !== table) return;
    if (type === "wake") toKernel("hello");
    else if (type === "hello") isHeard = true;
    else if (type === "bye" || type === "gone") {
      isHeard = false;
      untold ??= unanswered;
    } else if (id === count) unanswered = undefined;
    tellUntold();
  });
  const toKernel = (type: string, more: object = {}) => table && post(type, { table, ...more });
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
        if (frame !== window) send("selected", { group, iv, text }, frame);
      }
    },
    tellKernel: (ids) => {
      untold = ids;
      tellUntold();
    },
  };
}

globalThis.siteframeSelection = openSelectionLine;
