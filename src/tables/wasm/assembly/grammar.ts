/** The ways in which records were seen to be written, as `RecordGrammar` learned them. */
import { allocate } from "./memory";

@unmanaged
export class State {
  /** The first step, or 0. */
  first: usize;
  /** The step taken last, or 0. */
  likely: usize;
}

@unmanaged
export class Step {
  /** The next step from the same state, or 0. */
  sibling: usize;
  literal: usize;
  length: u32;
  /** The column of the value behind the literal; 0 if the record ends. */
  column: usize;
  /** The state after that value. */
  next: usize;
}

export function newState(): usize {
  const at = allocate(offsetof<State>());
  memory.fill(at, 0, offsetof<State>());
  return at;
}

/** Adds a step from a state, and says where the bytes of its literal are to be written. */
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

/** The step of a state whose literal stands at `p`; 0 if there is none. */
@inline
export function takeStep(at: usize, p: usize): usize {
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
