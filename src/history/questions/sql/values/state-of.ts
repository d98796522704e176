import { UNCHANGED_MARK, UNKNOWN_MARK } from "./marks.js";

/** The state of a cell that exists, by its value as JSON text, with a mark or as one. */
export function stateOf(value: string): string {
  return `CASE WHEN ${value} = '${UNKNOWN_MARK}' THEN 'unknown' WHEN substr(${value}, 1, 1) = '${UNCHANGED_MARK}' THEN 'unchanged'
    WHEN ${value} = 'null' THEN 'cleared' ELSE 'logged' END`;
}
