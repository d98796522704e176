/** A request about code. A bar is the cursor. */
export type Question = "is complete" | "complete" | "inspect";

/** A question, the code, the answer (the code with the first completion), and the reason if tslab differs. */
export type QuestionCase = readonly [
  question: Question,
  code: string,
  answer: string | undefined,
  tslab?: { readonly answer: string | undefined; readonly because: string },
];

const moreOrLess = "unfinished code has a different status";
const underscores = "names with two leading underscores cannot be declared";

/** What runs before each question. */
export const cellsBefore: readonly string[] = [
  "const fo = { bar(n: number, s: string) { return n; } }; const finest = 2, \u{1D4B3}y = 3;",
  "const __old = 1",
];

/** Questions of every kind, and texts and names that are longer than they look. */
export const questions: readonly QuestionCase[] = [
  ["is complete", "1 + 1", "complete"],
  ["is complete", "x?.", "incomplete"],
  ["is complete", "x?.\n  y", "complete"],
  ["is complete", "'a\\", "incomplete"],
  ["is complete", "'a\\\nb'", "complete"],
  ["is complete", "`a", "incomplete"],
  ["is complete", "'abc", "invalid", { answer: "incomplete", because: moreOrLess }],
  ["is complete", "let a = 1,", "incomplete", { answer: "complete", because: moreOrLess }],
  ["is complete", "return 1", "invalid", { answer: "complete", because: moreOrLess }],
  ["is complete", "'\ud800", "invalid", { answer: "incomplete", because: moreOrLess }],
  [
    "complete",
    "import x from './|'",
    "import x from './data.json'",
    { answer: undefined, because: "files next to the notebook are missing from completion" },
  ],
  ["complete", "import fs from 'node:f|'", "import fs from 'node:fs'"],
  ["complete", "import { readFile } from 'node:fs/p|'", "import { readFile } from 'node:fs/promises'"],
  ["complete", "fine|", "finest"],
  ["complete", "'a'; fo.|", "'a'; fo.bar"],
  ["complete", '"\u{1F642}"; fo.|', '"\u{1F642}"; fo.bar'],
  ["complete", "__ol|", "__old", { answer: undefined, because: underscores }],
  ["complete", "'\u{1F642}'.toUpp|", "'\u{1F642}'.toUpperCase"],
  ["complete", "'\ud83d\u{1F642}'; fine|", "'\ud83d\u{1F642}'; finest"],
  ["complete", "\u{1D4B3}|", "\u{1D4B3}y"],
  ["inspect", "fo.b|ar", "(method) bar(n: number, s: string): number"],
  ["inspect", "fo.bar(1, |)", "(method) bar(n: number, s: string): number"],
  [
    "inspect",
    "fo.bar(|1, 'a')",
    "bar(n: number, s: string): number",
    { answer: undefined, because: "signatures are missing at the first argument of a call" },
  ],
  ["inspect", "__ol|d", "const __old: 1", { answer: "any", because: underscores }],
  ["inspect", "'\u{1F642}'; fo.b|ar", "(method) bar(n: number, s: string): number"],
  ["inspect", "'\ud83d'.toUpper|Case()", "(method) String.toUpperCase(): string"],
  ["inspect", "\u{1D4B3}|y", "const \u{1D4B3}y: 3"],
];
