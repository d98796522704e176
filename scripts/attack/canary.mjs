// Values that must not appear in messages: a person in records and logs, and the key of the service.

export const person = {
  name: "Quilla Kanarienfeld",
  mail: "quilla.kanarienfeld@canary.example",
  phone: "+49 30 9817 2635",
};

/** Sent to the service in a header only. Errors that contain a part of it count, too. */
export const apiKey = "kAnArY-9d41f0b7c2e8";

const traces = [/kanarienfeld/i, /quilla/i, /9817\W?2635/, /kAnArY-9d41/i];

/**
 * The canary in output of the attacked process.
 *
 * @param {string} text
 * @param {string} [typed] text that the caller typed, which messages may quote
 * @returns {string | undefined} where it appears
 */
export function findCanary(text, typed = "") {
  for (const trace of traces) {
    const found = trace.exec(text);
    if (found && !trace.test(typed)) return text.slice(Math.max(0, found.index - 60), found.index + 60);
  }
  return undefined;
}
