/** Reads records by the bytes between their values: see decision 6. */
import { COMMA, OPEN_BRACE, skipSpace } from "./ascii";
import { Column } from "./column";
import { allocate } from "./memory";
import { readValue } from "./read-value";

export { moveCells, newColumn, setDictionary, setInstants, setUuids, takeUsed, uuidsEnd } from "./column";
export { addedWords, addWord, lookups, newDictionary, setLookups } from "./dictionary";
export { allocate, releaseAll } from "./memory";
export { numbersEnd, setNumbers, setTexts, textsEnd } from "./read-value";

/**
 * Reads an irregular value into a cell. Returns the position after it, which may be beyond the window; 0 if it is
 * malformed.
 */
@external("columns", "readOdd")
declare function readOdd(column: i32, start: usize, row: i32): usize;

/** The row after the last row read. */
let rowEnd: i32 = 0;
/** Start of the record that could not be read; 0 if reading ended for another reason. */
let missed: usize = 0;

export function rowsEnd(): i32 {
  return rowEnd;
}

export function missedAt(): usize {
  return missed;
}

/**
 * Reads records of an array from the one at `start` on, until a record has an unknown pattern, or there are enough.
 *
 * @param state start state of the grammar
 * @param windowEnd end of the window, followed by zeros
 * @param near records from here on may end after the window: their irregular values are not read
 * @returns the position after the last record read; `start` if none was read
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

// A state of the grammar, with the patterns that `RecordGrammar` learned.

@unmanaged
class State {
  /** The first step, or 0. */
  first: usize;
  /** The last step taken, or 0. */
  likely: usize;
}

@unmanaged
class Step {
  /** The next step from the same state, or 0. */
  sibling: usize;
  literal: usize;
  length: u32;
  /** The column of the value after the literal; 0 if the record ends. */
  column: usize;
  /** The state after that value. */
  next: usize;
}

export function newState(): usize {
  const at = allocate(offsetof<State>());
  memory.fill(at, 0, offsetof<State>());
  return at;
}

/** Adds a step from a state, and returns the address for the bytes of its literal. */
export function newStep(from: usize, length: u32, column: usize, next: usize): usize {
  const at = allocate(offsetof<Step>());
  const step = changetype<Step>(at);
  step.sibling = 0;
  step.literal = allocate(length);
  step.length = length;
  step.column = column;
  step.next = next;
  const state = changetype<State>(from);
  if (state.first === 0) state.first = at;
  else {
    let last = changetype<Step>(state.first);
    while (last.sibling !== 0) last = changetype<Step>(last.sibling);
    last.sibling = at;
  }
  return step.literal;
}

/** The step of a state whose literal is at `p`; 0 for none. */
@inline
function takeStep(at: usize, p: usize): usize {
  const state = changetype<State>(at);
  const likely = state.likely;
  if (likely !== 0 && isAt(changetype<Step>(likely), p)) return likely;
  return otherStep(state, p);
}

function otherStep(state: State, p: usize): usize {
  for (let at = state.first; at !== 0; at = changetype<Step>(at).sibling) {
    if (!isAt(changetype<Step>(at), p)) continue;
    state.likely = at;
    return at;
  }
  return 0;
}

@inline
function isAt(step: Step, p: usize): bool {
  const literal = step.literal;
  const length = step.length;
  if (length >= 16) {
    const last: usize = length - 16;
    for (let n: usize = 0; n < last; n += 16) if (differ16(literal + n, p + n)) return false;
    return !differ16(literal + last, p + last);
  }
  if (length >= 8) {
    const last: usize = length - 8;
    return load<u64>(literal) === load<u64>(p) && load<u64>(literal + last) === load<u64>(p + last);
  }
  for (let n: usize = 0; n < <usize>length; n += 1) if (load<u8>(literal + n) !== load<u8>(p + n)) return false;
  return true;
}

@inline
function differ16(a: usize, b: usize): bool {
  return v128.any_true(v128.xor(v128.load(a), v128.load(b)));
}
