import type { BatteryCase } from "./battery-case.js";

/** Names that loops at the top of cells read and write, in the cell that declares them and in later ones. */
export const loops: readonly BatteryCase[] = [
  [["let s = 0; for (let i = 1; i <= 4; i++) s += i; s"], "10"],
  [["let n = 0; for (; n < 5; ) n++; for (let i = 0; i < 2; i++) n += 10; n", "for (; n < 30; n++); n"], "30"],
  [["let s = 0", "for (let i = 1; i <= 4; i++) s += i; s", "s"], "10"],
  [["let s = 0.5", "let i = 0; while (i < 3) { s *= 2; i++; }", "do s--; while (s > 0)", "[i, s]"], "[ 3, 0 ]"],
  [["var s = 0; for (const i of [1, 2]) { s += i; }", "for (const i of [3]) s += i; s"], "6"],
  [
    ["export let s = 0; for (const i of [1, 2]) s += i;", "for (const i of [3]) s += i; s"],
    "6",
    { ending: { error: "TS2304" }, because: "exports of a cell are lost for later cells" },
  ],
  [["let a = 1, b = a + 1; for (let i = 0; i < 2; i++) { a += b; b += a; } [a, b]"], "[ 8, 13 ]"],
  [["let f = 1n; for (let i = 1n; i <= 20n; i++) f *= i; f"], "2432902008176640000n"],
  [["let v: unknown = 0; for (const e of [1, 2 ** 31, 0.5, 'x', { a: 1 }]) v = e; v"], "{ a: 1 }"],
  [["let a: number | undefined; for (const v of [1, 2]) a ??= v; a"], "1"],
  [["let [a, b] = [0, 1]; for (let i = 0; i < 5; i++) [a, b] = [b, a + b]; [a, b]", "a"], "5"],
  [["let { a, ...r } = { a: 1, b: 2 }; for (const v of [3]) ({ a } = { a: v }); [a, r]"], "[ 3, { b: 2 } ]"],
  [["let a = 0; for (const v of [{ a: 2 }, {}] as { a?: number }[]) ({ a = 9 } = v); a"], "9"],
  [["let x = ''; for (x of ['a', 'b']); for (x in { k: 1 }); x", "for (x of ['c']); x"], "'c'"],
  [
    ["let x = ''; const seen: string[] = [];", "for ([x] of ['ab', 'cd']) seen.push(x); [x, ...seen]"],
    "[ 'c', 'a', 'c' ]",
  ],
  [
    [
      "let n = 0; const all: unknown[] = []; for (let i = 0; i < 2; i++) { n++; all.push({ n }, typeof n, 'n' + n); } all",
    ],
    "[ { n: 1 }, 'number', 'n1', { n: 2 }, 'number', 'n2' ]",
  ],
  [
    ["let n = 0; { for (let i = 0; i < 3; i++) n += i; n }"],
    "3",
    { ending: undefined, because: "an expression shows its value only if it comes last" },
  ],
  [["let n = 0; if (n === 0) { while (n < 3) n += Number(true); } else n = 9; n"], "3"],
  [
    [
      "let n = 0; try { for (;;) { n += Number(true); if (n > 4) throw n; } } catch { n += 100; } finally { n += 1000; } n",
    ],
    "1105",
  ],
  [
    [
      "let n = 0; outer: for (const a of [1, 2]) { for (const b of [1, 2]) { if (b === 2) continue outer; n += a; } } n",
    ],
    "3",
  ],
  [["let n = 1; for (const n of [5]) { void n; } { let n = 7; for (; n < 9; n++); } n"], "1"],
  [
    [
      "let _ = 0, $ = 0, ñ = 0; for (let i = 0; i < 2; i++) { _ += i + 1; $ += 2 * i; ñ += 3 ** i; }",
      "for (const i of [1]) _ += $ + ñ + i; _",
    ],
    "10",
  ],
  // Functions, of the same cell and of others.
  [
    [
      "let n = 0; const get = () => n; const inc = () => { n++; }; for (let i = 0; i < 3; i++) { n += 10 * i; inc(); } [n, get()]",
    ],
    "[ 33, 33 ]",
  ],
  [["let n = 0; const get = () => n;", "for (let i = 0; i < 3; i++) n++; get()", "n = 7; get()"], "7"],
  [["let n = 0; const add = () => { n += 1; };", "for (let i = 0; i < 3; i++) { add(); n *= 2; } n", "add(); n"], "15"],
  [["const twice = (x: number) => x * 2; let t = 0;", "for (let i = 0; i < 3; i++) t += twice(i); t"], "6"],
  [
    ["function who(this: unknown) { return this; }", "let w: unknown = 1; for (const i of [1]) w = who(); String(w)"],
    "'undefined'",
    {
      ending: "'[object Object]'",
      because: "functions of earlier cells are called as methods, with `this` defined",
    },
  ],
  [["let f = (n: number) => n, s = 0; for (let i = 0; i < 2; i++) { s += f(i); f = (n) => n + 5; } s"], "6"],
  // Values of other kinds.
  [
    [
      "const a = new Float64Array(3), rows = [{ v: 1 }, { v: 2 }];",
      "for (let i = 0; i < 3; i++) a[i] = i * 2; for (const r of rows) a[0]! += r.v; a.join()",
    ],
    "'3,2,4'",
  ],
  [
    [
      "import { sep } from 'node:path'; enum E { A = 3 } class C { v = 2 }",
      "let t = ''; for (let i = 0; i < 2; i++) t += sep + E.A + new C().v; t",
    ],
    "'/32/32'",
  ],
  [
    ["let o = { n: 0 }; for (let i = 0; i < 3; i++) { o.n++; o = { ...o }; } o", "for (const k of [1]) o.n += k; o"],
    "{ n: 4 }",
  ],
  // Redeclared.
  [
    [
      "let n = 0; const get = () => n; for (let i = 0; i < 3; i++) n++;",
      "let n = 'x'; for (let i = 0; i < 2; i++) n += 'y'; [n, get()]",
    ],
    "[ 'xyy', 'xyy' ]",
  ],
  [
    ["let n = 0; for (let i = 0; i < 3; i++) n++;", "const n = [1, 2]; n", "let t = 0; for (const e of n) t += e; t"],
    "3",
  ],
  [["const n = 4", "let t = 0; for (let i = 0; i < n; i++) t++; t", "let n = 2; for (; n < 9; n++); n"], "9"],
  [
    ["let d = 1; for (; d < 3; ) d++;", "const e = d", "let d = e + 1; for (let i = 0; i < 2; i++) d *= 2; [d, e]"],
    "[ 16, 3 ]",
  ],
  // Time, and failure.
  [
    ["let n = 0; for (let i = 0; i < 3; i++) { await null; n += i; } n", "for (const i of [1]) { n += await i; } n"],
    "4",
  ],
  [["let t = 0; for await (const v of (async function* () { yield 1; yield 2; })()) t += v; t"], "3"],
  [
    [
      "let n = 0; const done = new Promise((end) => setTimeout(() => { n += 100; end(0); }, 1)); for (let i = 0; i < 3; i++) n += i; await done; n",
    ],
    "103",
  ],
  [
    [
      "let n = 0; for (let i = 0; i < 5; i++) { n += Number(true); if (n === 3) throw new Error('x'); }",
      "n",
      "for (; n < 6; n++); n",
    ],
    "6",
  ],
  [
    ["let fine = 0; for (const i of [1]) fine += i; fine = (fine as unknown as () => number)();"],
    { error: "is not a function" },
  ],
];
