/** Messages of JavaScript's own errors: an answer that has one is not a typed error. */
const untyped =
  /Cannot (read|set|convert|destructure|access|assign|mix)|is not (a function|iterable|a constructor|defined)|call stack|Invalid (array|string|typed array|time value|date|count)|out of range|circular structure|Unexpected token|out of memory/i;

/**
 * @param {string} text of an error in a reply
 * @returns {string[]} problems
 */
export function untypedProblems(text) {
  return untyped.test(text) ? [`untyped error: ${text.slice(0, 500)}`] : [];
}
