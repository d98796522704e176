import { itemAt } from "../base/item-at.js";
import { mix } from "../base/mix.js";
import type { Edit } from "./edit.js";

/**
 * The UUIDv7 of an edit, from the edit alone: no counter runs over the whole log.
 * The 12 bits after the millisecond hold its fraction (RFC 9562, section 6.2, method 3). Of the other 62 bits,
 * 32 say the feature and 8 the edit, which keeps ids of the same microsecond apart.
 */
export function changeId(edit: Edit): string {
  const milliseconds = Math.floor(edit.insertedAt / 1000);
  const fraction = Math.floor(((edit.insertedAt % 1000) * 4096) / 1000);
  const feature = mix(edit.featureId);
  const noise = mix(feature ^ edit.sequence);
  const time = `${hex16(milliseconds / 0x1_0000_0000)}${hex16(milliseconds / 0x1_0000)}-${hex16(milliseconds)}`;
  const edition = (feature << 14) | (edit.sequence << 6) | (noise >>> 26);
  return `${time}-${hex16(0x7000 | fraction)}-${hex16(0x8000 | (feature >>> 18))}-${hex16(feature >>> 2)}${hex16(edition)}${hex16(noise)}`;
}

// Number.toString(16) is slow beyond 31 bits, and this runs for every change of a log of millions.
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** The lowest 16 bits of the whole part of a number. */
function hex16(value: number): string {
  return itemAt(HEX, (value >>> 8) & 0xff) + itemAt(HEX, value & 0xff);
}
