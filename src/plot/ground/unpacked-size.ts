// How many bytes packed bytes stand for, told without unpacking them. Each stops as soon as there are more than `most`.

/** LZW as TIFF has it: codes of 9 to 12 bits, of which two have a meaning of their own. */
const [CLEAR, END, FIRST_WIDTH, LAST_WIDTH] = [256, 257, 9, 12];

/** Bytes that LZW stands for. */
export function lzwSize(bytes: Uint8Array, most: number): number {
  const lengths = new Uint32Array(1 << LAST_WIDTH).fill(1);
  let [size, next, width, before] = [0, END + 1, FIRST_WIDTH, -1];
  let [bits, count] = [0, 0];
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xff_ffff;
    count += 8;
    if (count < width) continue;
    count -= width;
    const code = (bits >>> count) & ((1 << width) - 1);
    if (code === END || size > most) break;
    if (code === CLEAR) {
      [next, width, before] = [END + 1, FIRST_WIDTH, -1];
      continue;
    }
    const length = code < next ? (lengths[code] as number) : (lengths[before] ?? 0) + 1;
    size += length;
    if (before >= 0 && next < lengths.length) {
      lengths[next] = (lengths[before] as number) + 1;
      next += 1;
    }
    before = code;
    if (next + 1 >= 1 << width && width < LAST_WIDTH) width += 1;
  }
  return size;
}

/** Bytes that PackBits stands for: runs of one byte, and bytes as they are. */
export function packBitsSize(bytes: Uint8Array, most: number): number {
  let size = 0;
  for (let at = 0; at < bytes.length && size <= most; ) {
    const header = bytes[at] as number;
    const length = header < 128 ? header + 1 : 257 - header;
    size += length;
    at += header < 128 ? 1 + length : 2;
  }
  return size;
}

const ZSTD_FRAME = 0xfd2f_b528;
/** The first of sixteen frames that are skipped. */
const ZSTD_SKIPPED = 0x184d_2a50;
/** Bytes that a compressed block stands for, at most. */
const ZSTD_BLOCK = 1 << 17;

/**
 * Bytes that Zstandard stands for, at most: as frames declare, which decoders check, or all that their blocks can hold.
 *
 * @throws RangeError for bytes that end too early
 */
export function zstdSize(bytes: Uint8Array, most: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let size = 0;
  for (let at = 0; at < bytes.length && size <= most; ) {
    const magic = view.getUint32(at, true);
    if ((magic & ~0xf) >>> 0 === ZSTD_SKIPPED) {
      at += 8 + view.getUint32(at + 4, true);
      continue;
    }
    if (magic !== ZSTD_FRAME) throw new RangeError("bytes that are not Zstandard");
    const frame = zstdFrame(view, at + 4, most);
    size += frame.size;
    at = frame.end;
  }
  return size;
}

function zstdFrame(view: DataView, start: number, most: number): { readonly size: number; readonly end: number } {
  const descriptor = view.getUint8(start);
  const isSingle = (descriptor & 0x20) !== 0;
  let at = start + 1 + Number(!isSingle) + ([0, 1, 2, 4][descriptor & 3] as number);
  const declared = declaredZstdSize(view, at, descriptor >>> 6, isSingle);
  at += declared.length;
  let blocks = 0;
  for (let isLast = false; !isLast && blocks <= most; ) {
    const header = view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
    const [type, length] = [(header >>> 1) & 3, header >>> 3];
    isLast = (header & 1) !== 0;
    blocks += type === 2 ? ZSTD_BLOCK : length;
    at += 3 + (type === 1 ? 1 : length);
  }
  // Behind the blocks may be a checksum.
  return { size: declared.size ?? blocks, end: at + (descriptor & 4) };
}

function declaredZstdSize(view: DataView, at: number, kind: number, isSingle: boolean) {
  if (kind === 1) return { size: view.getUint16(at, true) + 256, length: 2 };
  if (kind === 2) return { size: view.getUint32(at, true), length: 4 };
  if (kind === 3) return { size: Number(view.getBigUint64(at, true)), length: 8 };
  return isSingle ? { size: view.getUint8(at), length: 1 } : { size: undefined, length: 0 };
}
