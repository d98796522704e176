// The only way out of a frame: messages to its page, and to sibling frames through it. The page forwards them to the
// kernel, or keeps them. See decision 9.

const VERSION = 1;

export type Message = Readonly<Record<string, unknown>>;

/** `table`: rows from the kernel. `selection`: between linked frames. `state`: a view's state, which the page saves. */
type Subject = "table" | "selection" | "state";

/** Sends a message to the page, or to another frame. */
export type Send = (type: string, more?: object, to?: Window) => void;

/**
 * Opens a channel for a subject.
 *
 * @param take receives the messages of the page about the subject; with `areSiblings` those of other frames
 */
export function openChannel(subject: Subject, take: (message: Message) => void, areSiblings = false): Send {
  addEventListener("message", ({ source, data }) => {
    const isFrom = areSiblings ? source !== window : source === window.parent;
    if (isFrom && data?.siteframe === subject && data.version === VERSION) take(data);
  });
  return (type, more, to = window.parent) =>
    to.postMessage({ siteframe: subject, version: VERSION, type, ...more }, "*");
}
