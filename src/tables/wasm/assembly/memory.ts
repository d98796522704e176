/** Memory in blocks whose sizes are powers of two. A freed block is reused for the next one of its size. */

/** The first free block of each size; its first bytes point to the next. */
const free = memory.data(32 * 4);

/** Memory grows by more than is needed, because all views must be recreated after growth. */
const GROWTH: i64 = 1 << 20;

/** Optional allocations are refused beyond this size. */
const MUCH: usize = 1 << 30;

let end: usize = __heap_base;

export function isFull(): bool {
  return end > MUCH;
}

export function allocate(size: u32): usize {
  const bits = bitsOf(size);
  const known = load<u32>(free + 4 * bits);
  if (known !== 0) {
    store<u32>(free + 4 * bits, load<u32>(known));
    return known;
  }
  const start: usize = (end + 15) & ~15;
  end = start + (1 << bits);
  const missing = <i64>end - ((<i64>memory.size()) << 16);
  if (missing > 0 && memory.grow(<i32>((missing + GROWTH) >> 16)) < 0) unreachable();
  return start;
}

/** Frees a block of `size` bytes. */
export function release(start: usize, size: u32): void {
  const bits = bitsOf(size);
  store<u32>(start, load<u32>(free + 4 * bits));
  store<u32>(free + 4 * bits, <u32>start);
}

function bitsOf(size: u32): u32 {
  return 32 - clz<u32>(max<u32>(size, 16) - 1);
}

/** Frees all blocks. */
export function releaseAll(): void {
  memory.fill(free, 0, 32 * 4);
  end = __heap_base;
}
