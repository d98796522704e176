import { expect, it } from "vitest";
import { Literal } from "../../../src/tables/json/read-value.js";
import { JsonBytes } from "../../../src/tables/json/scan-json.js";

it.each(["short", "eight by", "seventeen letters", "three times eight bytes!", "ä zero:\0\0\0\0\0\0\0\0 and more"])(
  "finds a literal only where all its bytes are equal: %j",
  (text) => {
    const bytes = Buffer.from(text);
    const literal = new Literal(bytes);
    const json = (more: Uint8Array) => new JsonBytes(Buffer.concat([Buffer.from("{,"), more, Buffer.from("}")]));
    expect(literal.isAt(json(bytes), 2)).toBe(true);
    expect(literal.isAt(json(bytes), 1)).toBe(false);
    expect(literal.isAt(new JsonBytes(bytes.subarray(0, -1)), 0)).toBe(false);
    for (const at of bytes.keys()) {
      const other = Buffer.from(bytes);
      other[at] = 0x21 ^ (bytes[at] as number);
      expect(literal.isAt(json(other), 2), String(at)).toBe(false);
    }
  },
);
