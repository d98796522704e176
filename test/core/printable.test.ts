import { expect, test } from "vitest";
import { printable, printableLine } from "../../src/core/printable.js";

test("control characters are escaped", () => {
  expect(printable('a,"\u001b[2J\r\u0007"\n\tü\u009b31m\u007f')).toBe(
    'a,"\\u001b[2J\\u000d\\u0007"\n\tü\\u009b31m\\u007f',
  );
});

test("characters that change the direction, and Unicode's line separators, are escaped", () => {
  expect(printable("\u202egnp.exe \u2066a\u2069 \u2028b \u{1f469}\u200d\u{1f680}")).toBe(
    "\\u202egnp.exe \\u2066a\\u2069 \\u2028b \u{1f469}\u200d\u{1f680}",
  );
});

test("a line has no line ends", () => {
  expect(printableLine("a\r\n\tb\u2028c")).toBe("a b c");
});
