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

// Saves a view's state with the notebook or page, and restores it. See decision 9.

/** Milliseconds without a change after which a state is saved. */
const PAUSE = 300;

/**
 * Asks the page for the saved state of this view. A page that saves no states does not answer.
 *
 * @param state returns the current state, which must be JSON
 * @param restore receives the saved state, which any author may have written
 * @returns saves the state if it has changed
 */
export function openSavedState(state: () => object, restore: (saved: unknown) => void): () => void {
  let [wait, last] = [0, JSON.stringify(state())];
  const send = openChannel("state", (message) => {
    restore(message["state"]);
    last = JSON.stringify(state());
  });
  const save = () => {
    const now = JSON.stringify(state());
    if (now !== last) send("save", { state: state() });
    last = now;
  };
  send("hello");
  return () => {
    clearTimeout(wait);
    wait = setTimeout(save, PAUSE);
  };
}
