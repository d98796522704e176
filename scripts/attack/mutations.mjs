// Arbitraries that damage valid input: JSON, text and bytes.
import fc from "fast-check";
import { apiKey, person } from "./canary.mjs";

/** Length of damaged input: what is repeated again and again stays small. */
const MOST = 1_000_000;

/** Depths around the documented limit, and far beyond the stack of native parsers. */
const depth = fc.constantFrom(50, 499, 500, 501, 1000, 10_000, 100_000);

/** Opening and closing text, repeated. */
export const nested = (pairs) =>
  fc
    .tuple(fc.constantFrom(...pairs), depth, fc.boolean())
    .map(([[open, close], count, isClosed]) => open.repeat(count) + (isClosed ? `1${close.repeat(count)}` : ""));

export const hostileTexts = [
  ..."\0|\ud800|\udfff|\u202e|\ufeff|\u2028|\u00a0|\\|'|\"|`|$|%|;|--|/*|\r\n|\n\n|\t".split("|"),
  ...["__proto__", "constructor", "toString", "hasOwnProperty", "prototype", "then", "toJSON", "length"],
  ...[
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    " =1+1",
    "<script>alert(1)</script>",
    "<!--",
    "]]>",
    "</title>",
    "&amp;",
    ["$", "{1}"].join(""),
  ],
  ...[
    "'; DROP TABLE sites; --",
    "../../../etc/passwd",
    "C:\\windows",
    "file:///etc/passwd",
    "http://127.0.0.1:1/",
    "/dev/zero",
  ],
  ...["\x1b[2J\x1b]0;title\x07", "\u009b31m", "null", "undefined", "NaN", "Infinity", "true", "0x10", "1e400", "-0"],
  ...[
    "9999-12-31",
    "0000-01-01",
    "+275760-09-13T00:00:00Z",
    "-271821-04-20T00:00:00Z",
    "2024-02-30",
    "2024-13-01T25:61:61Z",
  ],
  ...["9007199254740993", "-9223372036854775809", "1e308", "0.1", "1,5", "12/31/99", "P1D", "Europe/Nowhere"],
  ...[person.name, person.mail, person.phone, `${person.name} <${person.mail}>`, apiKey],
];

export const hostileText = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...hostileTexts) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 200 }) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...hostileTexts), fc.constantFrom(2, 100, 10_000))
      .map(([text, count]) => text.repeat(count)),
  },
);

/** JSON text of a value that readers do not expect. */
export const oddJson = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      ...[
        "null",
        "true",
        "false",
        "0",
        "-0",
        "-1",
        "1.5",
        "1e308",
        "-1e308",
        "1e400",
        "9007199254740993",
        "2147483648",
      ],
      ...[
        '""',
        "[]",
        "{}",
        "[[]]",
        "[null]",
        '{"__proto__":{"polluted":1}}',
        '{"a":1,"a":2}',
        '{"constructor":{"prototype":{}}}',
      ],
      ...[
        '"\\ud800"',
        '"\\u0000"',
        `"${"9".repeat(400)}"`,
        "9".repeat(400),
        '{"then":1}',
        '{"toJSON":1}',
        '{"length":1e9}',
      ],
      `[${"1,".repeat(20_000)}1]`,
      JSON.stringify({ name: person.name, mail: person.mail }),
      `["${person.name}"]`,
    ),
  },
  { weight: 4, arbitrary: hostileText.map((text) => JSON.stringify(text)) },
  { weight: 2, arbitrary: fc.json({ maxDepth: 4 }) },
  {
    weight: 2,
    arbitrary: nested([
      ["[", "]"],
      ['{"a":', "}"],
      ['[{"a":', "}]"],
    ]),
  },
);

/** The places in a value: paths of keys. */
function pathsOf(value, path = []) {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, one]) => pathsOf(one, [...path, key]))];
}

/** A place that no value has, replaced in the text of the JSON. */
const placeholder = (index) => `\u0001${index}\u0001`;

function damage(value, edits) {
  const copy = structuredClone({ root: value });
  for (const [index, { place, kind, key }] of edits.entries()) {
    const paths = pathsOf(copy.root);
    const path = ["root", ...paths[place % paths.length]];
    const last = path.pop();
    const holder = path.reduce((one, name) => one[name], copy);
    if (kind === "delete") delete holder[last];
    else if (kind === "wrap") holder[last] = [holder[last]];
    else if (kind === "twice") holder[last] = [holder[last], holder[last]];
    else if (
      kind === "add" &&
      typeof holder[last] === "object" &&
      holder[last] !== null &&
      !Array.isArray(holder[last])
    ) {
      Object.defineProperty(holder[last], key, {
        value: placeholder(index),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    } else holder[last] = placeholder(index);
  }
  return JSON.stringify(copy.root) ?? "";
}

/**
 * JSON text of a value in which some places have other values, or are missing.
 *
 * @param {unknown} value
 */
export const damagedJson = (value, most = 3) =>
  fc
    .array(
      fc.record({
        place: fc.nat(100_000),
        kind: fc.constantFrom("replace", "replace", "replace", "delete", "wrap", "twice", "add"),
        key: hostileText,
        json: oddJson,
      }),
      { maxLength: most },
    )
    .map((edits) => damage(value, edits).replaceAll(/"\\u0001(\d+)\\u0001"/g, (_, index) => edits[Number(index)].json));

/** Text in which lines are repeated or missing, or that has something else in it. */
export const damagedText = (text, most = 4) =>
  fc
    .array(
      fc.record({
        place: fc.double({ min: 0, max: 1, noNaN: true }),
        kind: fc.constantFrom("insert", "insert", "replace", "delete", "cut", "line", "lines", "field", "field"),
        text: hostileText,
        count: fc.constantFrom(2, 10, 1000),
      }),
      { maxLength: most },
    )
    .map((edits) => edits.reduce((edited, edit) => editText(edited, edit).slice(0, MOST), text));

function editText(text, { place, kind, text: given, count }) {
  const at = Math.floor(place * text.length);
  const lines = text.split("\n");
  const line = Math.floor(place * lines.length) % lines.length;
  switch (kind) {
    case "insert":
      return text.slice(0, at) + given + text.slice(at);
    case "replace":
      return text.slice(0, at) + given + text.slice(at + given.length);
    case "delete":
      return text.slice(0, at) + text.slice(at + count);
    case "cut":
      return text.slice(0, at);
    case "line":
      return lines.toSpliced(line, 1).join("\n");
    case "lines":
      return lines
        .toSpliced(line, 0, ...Array(Math.min(count, Math.ceil(MOST / (lines[line].length + 1)))).fill(lines[line]))
        .join("\n");
    default: {
      const fields = lines[line].split(/([,;\t:])/);
      const field = 2 * Math.floor((at % fields.length) / 2);
      return lines.with(line, fields.with(field, given).join("")).join("\n");
    }
  }
}

/** Numbers that readers of binary formats take as lengths and offsets. */
const claims = [0, 1, 0x7f, 0xff, 0x7fff, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff];

/** Damaged bytes: cut, overwritten, repeated. Half of the edits are near an end, since formats have headers there. */
export const damagedBytes = (bytes, most = 5) =>
  fc
    .array(
      fc.record({
        place: fc.oneof(
          fc.double({ min: 0, max: 1, noNaN: true }),
          fc.nat(120).map((near) => near / Math.max(1, bytes.length)),
          fc.nat(120).map((near) => 1 - near / Math.max(1, bytes.length)),
        ),
        kind: fc.constantFrom("flip", "flip", "byte", "claim", "claim", "claim", "cut", "delete", "repeat"),
        value: fc.nat(255),
        claim: fc.constantFrom(...claims),
        isLittle: fc.boolean(),
        count: fc.constantFrom(1, 4, 100, 10_000),
      }),
      { maxLength: most },
    )
    .map((edits) => edits.reduce((edited, edit) => editBytes(edited, edit).subarray(0, MOST), Buffer.from(bytes)));

function editBytes(bytes, { place, kind, value, claim, isLittle, count }) {
  const at = Math.min(Math.max(0, Math.floor(place * bytes.length)), Math.max(0, bytes.length - 1));
  if (bytes.length === 0) return bytes;
  const copy = Buffer.from(bytes);
  switch (kind) {
    case "flip":
      copy[at] ^= 1 << (value % 8);
      return copy;
    case "byte":
      copy[at] = value;
      return copy;
    case "claim": {
      if (at + 4 > copy.length) return copy;
      if (isLittle) copy.writeUInt32LE(claim, at);
      else copy.writeUInt32BE(claim, at);
      return copy;
    }
    case "cut":
      return copy.subarray(0, at);
    case "delete":
      return Buffer.concat([copy.subarray(0, at), copy.subarray(at + count)]);
    default:
      return Buffer.concat([
        copy.subarray(0, at),
        ...Array(Math.min(count, 1000)).fill(copy.subarray(at, at + 64)),
        copy.subarray(at),
      ]);
  }
}
