import type { Span } from "oxc-parser";

/** A name in the code that is declared at the top of it, or not at all. */
export interface Reference extends Span {
  readonly name: string;
  /** `shorthand` is the `a` of `{ a }`; `callee` is called; `statement` is called, and begins a statement, so that a bracket there needs a semicolon. */
  readonly form: "plain" | "shorthand" | "callee" | "statement";
  /** Whether a function lies around it. */
  readonly isNested: boolean;
}

/** Something that a script writes otherwise than a module. */
export type Site = Span & { readonly kind: "await" | "forAwait" | "import" | "importMeta" };

/** What a walk through code finds. */
export interface CodeSites {
  readonly references: Reference[];
  /** Every name in a type. */
  readonly typeNames: Set<string>;
  readonly sites: Site[];
  /** Whether there is JSX in it, which is written as calls of a function. */
  hasJsx: boolean;
  /** Whether there are decorators or accessors in it, which oxc leaves as they are. */
  hasDecorators: boolean;
}
