/** Reads records by what stands between their values: see decision 6. */
import { COMMA, OPEN_BRACE, skipSpace } from "./ascii";
import { Column } from "./column";
import { Step, takeStep } from "./grammar";
import { readValue } from "./read-value";

export { moveCells, newColumn, setDictionary, setInstants, setUuids, takeUsed, uuidsEnd } from "./column";
export { addedWords, addWord, lookups, newDictionary, setLookups } from "./dictionary";
export { newState, newStep } from "./grammar";
export { allocate, releaseAll } from "./memory";
export { numbersEnd, setNumbers, setTexts, textsEnd } from "./read-value";

/** Reads an odd value into a cell. Returns the position after it, which may lie behind the window; 0 if it is malformed. */
@external("columns", "readOdd")
declare function readOdd(column: i32, start: usize, row: i32): usize;

/** The row behind the last one that was read. */
let rowEnd: i32 = 0;
/** Where the record begins that could not be read; 0 if that is not why the reading ended. */
let missed: usize = 0;

export function rowsEnd(): i32 {
  return rowEnd;
}

export function missedAt(): usize {
  return missed;
}

/**
 * Reads records of an array from the one at `start` on, until one is written in a way that was not learned, or there are
 * enough.
 *
 * @param state where the grammar begins
 * @param windowEnd behind it are zeros
 * @param near records from here on may end behind the window: their odd values are not read
 * @returns the position after the last one that was read; `start` if that is none
 */
export function readRecords(state: usize, start: usize, windowEnd: usize, near: usize, row: i32, rows: i32): usize {
  let p = start;
  let done = start;
  missed = 0;
  for (rowEnd = row; rowEnd < rows; ) {
    const end = readRecord(state, p, windowEnd, p >= near, rowEnd);
    if (end === 0) {
      missed = p;
      break;
    }
    done = end;
    rowEnd += 1;
    p = skipSpace(end);
    if (load<u8>(p) !== COMMA) break;
    p = skipSpace(p + 1);
    if (load<u8>(p) !== OPEN_BRACE) break;
  }
  return done;
}

function readRecord(start: usize, from: usize, windowEnd: usize, isNear: bool, row: i32): usize {
  let state = start;
  let p = from;
  while (true) {
    const at = takeStep(state, p);
    if (at === 0) return 0;
    const step = changetype<Step>(at);
    p += step.length;
    if (step.column === 0) return p;
    const column = changetype<Column>(step.column);
    let end = readValue(column, p, row);
    if (end === 0) {
      if (isNear) return 0;
      end = readOdd(column.index, p, row);
      if (end === 0 || end > windowEnd) return 0;
    }
    p = end;
    state = step.next;
  }
}
