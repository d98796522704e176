/**
 * The repeated strings of a column, by code in order of first occurrence, as in `TextDictionary`: each adds the strings
 * that the other has added.
 *
 * A slot is 16 bytes: the hash, the code + 1 or 0 if free, the address of the string, its length. A word is 8 bytes:
 * the address and the length of the string of a code.
 */
import { allocate, isFull, release } from "./memory";

const SLOT = 16;
const FIRST_SLOTS = 256;
const WORD = 8;
const FIRST_WORDS = 64;
/** Number of strings after which it is first checked whether enough repeat. */
const FIRST_TRIAL = 1024;

@unmanaged
class Dictionary {
  // The next three fields are read from TypeScript, by their offsets: see `record-strides.ts`.
  size: u32;
  /** Address of the words. */
  words: usize;
  isClosed: u32;
  /** Number of lookups. */
  lookups: u32;
  /** Number of strings at the next check whether enough repeat. */
  trial: u32;
  slots: usize;
  mask: u32;
  /** Capacity in words. */
  room: u32;
}

/** Number of strings added here, in all dictionaries. Only differences are used, so it is never reset. */
let added: u32 = 0;

export function newDictionary(): usize {
  const dictionary = changetype<Dictionary>(allocate(offsetof<Dictionary>()));
  dictionary.size = 0;
  dictionary.isClosed = 0;
  dictionary.lookups = 0;
  dictionary.trial = FIRST_TRIAL;
  dictionary.words = allocate(WORD * FIRST_WORDS);
  dictionary.room = FIRST_WORDS;
  setSlots(dictionary, FIRST_SLOTS);
  return changetype<usize>(dictionary);
}

/** Number of lookups. */
export function lookups(at: usize): u32 {
  return changetype<Dictionary>(at).lookups;
}

/** Sets the number of earlier lookups in TypeScript. */
export function setLookups(at: usize, count: u32): void {
  changetype<Dictionary>(at).lookups = count;
}

/** Number of strings added here, in all dictionaries. */
export function addedWords(): u32 {
  return added;
}

/** Adds a string that got its code in TypeScript. It must stay at the address `text`. */
export function addWord(at: usize, text: usize, length: u32): void {
  const dictionary = changetype<Dictionary>(at);
  add(dictionary, hashOf(text, length), text, length);
  while (dictionary.size > dictionary.trial) dictionary.trial *= 2;
}

/**
 * The code + 1 of a string, which is added if it is new; 0 if the dictionary is closed because too few strings repeat.
 */
@inline
export function codeOf(at: usize, text: usize, length: u32): u32 {
  const dictionary = changetype<Dictionary>(at);
  const hash = hashOf(text, length);
  dictionary.lookups += 1;
  let index = hash & dictionary.mask;
  while (true) {
    const slot = dictionary.slots + SLOT * index;
    const code = load<u32>(slot, 4);
    if (code === 0) return addNew(dictionary, hash, text, length);
    if (load<u32>(slot) === hash && load<u32>(slot, 12) === length && equals(load<u32>(slot, 8), text, length)) return code;
    index = (index + 1) & dictionary.mask;
  }
}

function addNew(dictionary: Dictionary, hash: u32, text: usize, length: u32): u32 {
  if (dictionary.size === dictionary.trial) {
    if (dictionary.size * 2 > dictionary.lookups) dictionary.isClosed = 1;
    dictionary.trial *= 2;
  }
  if (isFull()) dictionary.isClosed = 1;
  added += 1;
  if (dictionary.isClosed !== 0) return 0;
  const copy = allocate(length);
  memory.copy(copy, text, length);
  add(dictionary, hash, copy, length);
  return dictionary.size;
}

function add(dictionary: Dictionary, hash: u32, text: usize, length: u32): void {
  if (dictionary.size === dictionary.room) growWords(dictionary);
  if (dictionary.size * 2 > dictionary.mask) growSlots(dictionary);
  const word = dictionary.words + WORD * dictionary.size;
  store<u32>(word, <u32>text);
  store<u32>(word, length, 4);
  dictionary.size += 1;
  put(dictionary, hash, dictionary.size, text, length);
}

function growWords(dictionary: Dictionary): void {
  const words = allocate(2 * WORD * dictionary.room);
  memory.copy(words, dictionary.words, WORD * dictionary.room);
  release(dictionary.words, WORD * dictionary.room);
  dictionary.words = words;
  dictionary.room *= 2;
}

function put(dictionary: Dictionary, hash: u32, code: u32, text: usize, length: u32): void {
  let index = hash & dictionary.mask;
  while (load<u32>(dictionary.slots + SLOT * index, 4) !== 0) index = (index + 1) & dictionary.mask;
  const slot = dictionary.slots + SLOT * index;
  store<u32>(slot, hash);
  store<u32>(slot, code, 4);
  store<u32>(slot, <u32>text, 8);
  store<u32>(slot, length, 12);
}

function setSlots(dictionary: Dictionary, count: u32): void {
  dictionary.slots = allocate(SLOT * count);
  dictionary.mask = count - 1;
  memory.fill(dictionary.slots, 0, SLOT * count);
}

function growSlots(dictionary: Dictionary): void {
  const slots = dictionary.slots;
  const count = dictionary.mask + 1;
  setSlots(dictionary, 4 * count);
  for (let index: u32 = 0; index < count; index += 1) {
    const slot = slots + SLOT * index;
    const code = load<u32>(slot, 4);
    if (code !== 0) put(dictionary, load<u32>(slot), code, load<u32>(slot, 8), load<u32>(slot, 12));
  }
  release(slots, SLOT * count);
}

/** Eight bytes at a time; the last ones may be counted twice. */
@inline
function hashOf(text: usize, length: u32): u32 {
  let hash: u64 = <u64>length * 0x9e3779b97f4a7c15;
  if (length >= 8) {
    const last = text + length - 8;
    for (let p = text; p < last; p += 8) hash = mixed(hash ^ load<u64>(p));
    hash = mixed(hash ^ load<u64>(last));
  } else if (length > 0) hash = mixed(hash ^ (load<u64>(text) << (64 - 8 * <u64>length)));
  return <u32>(hash >> 32) ^ <u32>hash;
}

@inline
function mixed(hash: u64): u64 {
  const product = hash * 0xff51afd7ed558ccd;
  return product ^ (product >> 32);
}

@inline
function equals(known: usize, text: usize, length: u32): bool {
  if (length >= 8) {
    const last: usize = length - 8;
    for (let n: usize = 0; n < last; n += 8) if (load<u64>(known + n) !== load<u64>(text + n)) return false;
    return load<u64>(known + last) === load<u64>(text + last);
  }
  return length === 0 || (load<u64>(known) ^ load<u64>(text)) << (64 - 8 * <u64>length) === 0;
}
