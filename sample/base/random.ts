import { createHash } from "node:crypto";

/** The item at an index that is known to be inside the list. */
export function itemAt<T>(list: ArrayLike<T>, index: number): T {
  const item = list[index];
  if (item === undefined) throw new RangeError(`index ${index} is outside a list of ${list.length}`);
  return item;
}

const NAMESPACE = Buffer.from("5b0c1f52a7d34c6b9f0e2d8c41a6e7b3", "hex");

/** The UUID of a name (RFC 9562, version 5): the same for every seed and size, so that documents can cite it. */
export function uuidV5(name: string): string {
  const bytes = createHash("sha1").update(NAMESPACE).update(name).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** To one digit behind the point. */
export function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
