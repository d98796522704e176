// Saves a view's state with the notebook or page, and restores it. See decision 9.
import { openChannel } from "./channel.js";

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
