import type { BatteryCase, TslabDifference } from "./battery-case.js";

const varInBlock: TslabDifference = {
  ending: { error: "TS2304" },
  because: "`var` in a block is invisible outside it",
};
const earlierMeaning: TslabDifference = {
  ending: "1",
  because: "functions and classes of earlier cells keep the earlier meaning of a redeclared name",
};
const exportNotKept: TslabDifference = {
  ending: { error: "TS2304" },
  because: "exports of a cell are lost for later cells",
};
const noUsing: TslabDifference = { ending: undefined, because: "TypeScript 5.0 has no `using`" };

/** Every form of declaration, in the cell and in later ones. */
export const declarations: readonly BatteryCase[] = [
  [["const a = 1", "a"], "1"],
  [["let a = 1", "a = 2", "a"], "2"],
  [["let a", "a = 'x'", "a"], "'x'"],
  [["var a = 1; var a = 2;", "a"], "2"],
  [["var a = 1", "a += 2", "a"], "3"],
  [["for (var i = 0; i < 3; i++);", "i"], "3", varInBlock],
  [["if (true) { var inner = 4; }", "inner"], "4", varInBlock],
  [["try { var tried = 1; } finally {}", "tried"], "1", varInBlock],
  [["{ let hidden = 1; }", "typeof hidden"], { error: "TS2304" }],
  [["const a = 1, b = 2, c = a + b", "[a, b, c]"], "[ 1, 2, 3 ]"],
  [["let n = 0; const inc = () => ++n; inc();", "n = 50; inc()"], "51"],
  [["let n = 5", "n++; n += 2; n *= 2; n"], "16"],
  [["let n: number | undefined", "n ??= 7; n ||= 8; n &&= 9; n"], "9"],
  [["let n = 1", "n--; --n"], "-1"],
  [
    [
      "const { a, b: { c = 5, ...d }, ...e } = { a: 1, b: { x: 2 }, f: 3 } as { a: number; b: { c?: number; x: number }; f: number }",
      "[a, c, d, e]",
    ],
    "[ 1, 5, { x: 2 }, { f: 3 } ]",
  ],
  [["const [p, , q = 9, ...r] = [1, 2, undefined, 4, 5]", "[p, q, r]"], "[ 1, 9, [ 4, 5 ] ]"],
  [["const { ['k' + 1]: computed } = { k1: 6 } as Record<string, number>", "computed"], "6"],
  [["let x = 1, y = 2", "[x, y] = [y, x]; [x, y]"], "[ 2, 1 ]"],
  [["let x = 0", "({ x } = { x: 3 }); x"], "3"],
  [["let x = 0", "({ x = 4 } = {} as { x?: number }); x"], "4"],
  [["let x = 0", "({ v: x } = { v: 5 }); x"], "5"],
  [["let x = 0", "for (x of [1, 2, 3]); x"], "3"],
  [["let k = ''", "for (k in { a: 1, b: 2 }); k"], "'b'"],
  [["const a = 1", "const a = 'one'", "a.length"], "3"],
  [["const a = 1", "function a() { return 2; }", "a()"], "2"],
  [["function a() { return 2; }", "class a { static s = 3 }", "a.s"], "3"],
  [["let a = 1", "const a = [1]", "a.length"], "1"],
  [["interface a { x: 1 }", "const a = 5", "a"], "5"],
  [["const v = 1; const read = () => v;", "const v = 'new'", "read()"], "'new'"],
  [
    ["function help() { return 1; } function use() { return help(); }", "function help() { return 'new'; }", "use()"],
    "'new'",
    earlierMeaning,
  ],
  [
    ["class A { m() { return new B().n; } } class B { n = 1 }", "class B { n = 'new' }", "new A().m()"],
    "'new'",
    earlierMeaning,
  ],
  [["function fact(n: number): number { return n < 2 ? 1 : n * fact(n - 1); }", "fact(5)"], "120"],
  [
    [
      "even(4)\nfunction even(n: number): boolean { return n === 0 || odd(n - 1); }\nfunction odd(n: number): boolean { return n !== 0 && even(n - 1); }",
      "odd(3)",
    ],
    "true",
  ],
  [["function* gen() { yield 1; yield 2; }", "[...gen()]"], "[ 1, 2 ]"],
  [["async function later() { return 5; }", "await later()"], "5"],
  [["async function* ag() { yield 1; }", "await ag().next()"], "{ value: 1, done: false }"],
  [
    [
      "function over(a: string): 's'; function over(a: number): 'n'; function over(a: any): any { return typeof a; }",
      "over(1)",
    ],
    "'number'",
  ],
  [["function rest(...n: number[]) { return arguments.length + n.length; }", "rest(1, 2)"], "4"],
  [["function named({ a, b = a }: { a: number; b?: number }) { return a + b; }", "named({ a: 2 })"], "4"],
  [["function gen<T extends { id: number }>(t: T): T['id'] { return t.id; }", "gen({ id: 4 })"], "4"],
  [["function gen<T extends { id: number }>(t: T): T['id'] { return t.id; }", "gen({ id: 'x' })"], { error: "TS2322" }],
  [["const curry = (a: number) => (b: number) => a + b", "curry(1)(2)"], "3"],
  [["class P { #x = 1; static s = 2; get x() { return this.#x; } }", "[new P().x, P.s]"], "[ 1, 2 ]"],
  [
    ["class P { x = 1 }", "class Q extends P { y = 3 }; const q = new Q();", "[q instanceof P, q.x + q.y]"],
    "[ true, 4 ]",
  ],
  [
    [
      "abstract class S { abstract area(): number } class C extends S { constructor(private r: number) { super(); } area() { return this.r ** 2; } }",
      "new C(3).area()",
    ],
    "9",
  ],
  [["abstract class S { abstract area(): number }", "new S()"], { error: "TS2511" }],
  [["class K { static ready: boolean; static { K.ready = true; } }", "K.ready"], "true"],
  [["class K { constructor(readonly a: number, public b = a * 2) {} }", "new K(2).b"], "4"],
  [["class K { declare ghost: string; own = 1 }", "Object.keys(new K())"], "[ 'own' ]"],
  [["const K = class Named { static n = Named.name }", "K.n"], "'Named'"],
  [["class K { accessor z = 4 }", "const k = new K(); k.z++; k.z"], "5"],
  [["class K { [Symbol.iterator] = function* () { yield 1; } }", "[...new K()]"], "[ 1 ]"],
  [["class Self { static make() { return new Self(); } v = 1 }", "class Other { v = 2 }", "Self.make().v"], "1"],
  [["enum E { A, C = 5, D }", "[E.A, E.D, E[5]]"], "[ 0, 6, 'C' ]"],
  [["enum E { A = 'a' }", "const e: E = E.A; e"], "'a'"],
  [["const base = 4", "enum E { A = base, B = A + 1 }", "E.B"], "5"],
  [["const enum CE { X = 3 }", "CE.X"], "3"],
  [["enum E { A }", "const e: E = 'A'"], { error: "TS2322" }],
  [
    [
      "namespace N { export const v = 1; export interface I { q: number } export namespace M { export const w = 2; } }",
      "const ni: N.I = { q: 1 }; N.v + N.M.w + ni.q",
    ],
    "4",
  ],
  [["namespace N { export let count = 0; export function more() { count++; } }", "N.more(); N.count"], "1"],
  [["namespace T { export type U = string }", "const u: T.U = 'a'; u"], "'a'"],
  [["interface I { f(x: number): string }", "const i: I = { f: (x) => String(x) }; i.f(2)"], "'2'"],
  [["type Rec<T> = { v: T; n?: Rec<T> }", "const r: Rec<number> = { v: 1, n: { v: 2 } }; r.n?.v"], "2"],
  [["type Rec<T> = { v: T }", "const r: Rec<number> = { v: 'x' }"], { error: "TS2322" }],
  [["type A = { a: 1 }; type B = A & { b: 2 };", "const both: B = { a: 1, b: 2 }; both"], "{ a: 1, b: 2 }"],
  [["const T1 = 1; type T1 = string; const t1: T1 = 'a';", "const u: T1 = 'q'; T1 + u"], "'1q'"],
  [["let T2 = 1; type T2 = string;", "const u: T2 = 'q'; T2 + u"], "'1q'"],
  [["declare const ghost: number;", "typeof ghost"], "'undefined'"],
  [["declare function phantom(): void;", "typeof phantom"], "'undefined'"],
  [["const s = Symbol('own'); const o = { [s]: 1 };", "o[s]"], "1"],
  [["const big = 2n ** 64n", "big"], "18446744073709551616n"],
  [
    ["const __a = 1", "__a + 1"],
    "2",
    { ending: { error: "TS2304" }, because: "names with two leading underscores cannot be declared" },
  ],
  [
    ["let here = 1;\nfunction __b() { return here; }\n__b()"],
    "1",
    {
      ending: { error: "2:10 - Invalid name: __b. With tslab, names must not begin with two underscores." },
      because: "names with two leading underscores cannot be declared",
    },
  ],
  [["const __c: string = 1"], { error: "1:7 - TS2322" }],
  [["const $ = 1, _ = 2, ünï = 3", "$ + _ + ünï"], "6"],
  [["const require = 1; const module = 2;", "require + module"], "3"],
  [["var require; typeof require", "typeof require"], "'undefined'"],
  [["var require = 5, module;", "[require, module]"], "[ 5, undefined ]"],
  [["const exports = 5", "exports", "const after = exports + 1", "after"], "6"],
  [["const display = 4", "display"], "4"],
  [["const name = 'global of browsers'", "name"], "'global of browsers'"],
  [["const Promise = 5", "Promise"], "5"],
  [["const undefined1 = void 0", "undefined1"], undefined],
  [["const f = (n) => n; f(3)", "f(4)"], "4"],
  [["const fixed = 1", "fixed = 2"], { error: "TS2588" }],
  [["fixed = 2; const fixed = 1;"], { error: "TS2" }],
  [["export const ex = 3; ex", "ex + 1"], "4", exportNotKept],
  [["export function ef() { return 1; }", "ef()"], "1", exportNotKept],
  [["export class EC { v = 2 }", "new EC().v"], "2", exportNotKept],
  [["export enum EE { A = 7 }", "EE.A"], "7", exportNotKept],
  [["export type ET = number; export interface EI { a: ET }", "const e: EI = { a: 1 }; e.a"], "1", exportNotKept],
  [["const inner = 1; export { inner as outer };", "inner"], "1"],
  [["export default function named() { return 4; }", "named()"], "4"],
  [
    [
      "declare global { interface Array<T> { mine(): T } } Array.prototype.mine = function () { return this[0]; };",
      "[4].mine()",
    ],
    "4",
    {
      ending: { error: "TS2339" },
      because: "`declare global` and `declare module` do not apply to later cells",
    },
  ],
  [
    ["declare global { var shared: number } globalThis.shared = 6;", "shared"],
    "6",
    {
      ending: { error: "TS2304" },
      because: "`declare global` and `declare module` do not apply to later cells",
    },
  ],
  [
    [
      "declare module 'no-such-module' { export const z: 1; }",
      "import type { z } from 'no-such-module'; const y: typeof z = 1; y",
    ],
    "1",
    {
      ending: { error: "TS2307" },
      because: "`declare global` and `declare module` do not apply to later cells",
    },
  ],
  [
    [
      "using r = { [Symbol.dispose]() { Object.assign(globalThis, { disposed: 1 }); } }; 2",
      "Reflect.get(globalThis, 'disposed')",
    ],
    "1",
    noUsing,
  ],
  [
    [
      "{ using r = { [Symbol.dispose]() { Object.assign(globalThis, { inner: 3 }); } }; }",
      "Reflect.get(globalThis, 'inner')",
    ],
    "3",
    noUsing,
  ],
  [
    [
      "await using r = { async [Symbol.asyncDispose]() { Object.assign(globalThis, { late: 4 }); } };",
      "Reflect.get(globalThis, 'late')",
    ],
    "4",
    noUsing,
  ],
  [
    [
      "function mark(value: unknown, { kind }: { kind: string }) { return undefined; } @mark class D { @mark m() { return 1; } }",
      "new D().m()",
    ],
    "1",
  ],
  [
    [
      "function twice(f: () => number, context: ClassMethodDecoratorContext) { return () => f() * 2; } class D { @twice m() { return 4; } }",
      "new D().m()",
    ],
    "8",
  ],
  [
    [
      "function tag(name: string) { return (value: unknown, context: ClassDecoratorContext) => { context.addInitializer(function () { Object.assign(this as object, { tagged: name }); }); }; }",
      "@tag('x') class D {}",
      "Reflect.get(D, 'tagged')",
    ],
    "'x'",
  ],
  [
    [
      "let un: unknown = 's'; function isText(x: unknown): asserts x is string { if (typeof x !== 'string') throw new TypeError('no'); }",
      "isText(un); un.length",
    ],
    "1",
  ],
  [["const satisfied = { a: 1 } satisfies Record<string, number>", "satisfied.a"], "1"],
  [["const tuple = [1, 'a'] as const", "tuple[1].length"], "1"],
];
