import type { JSXToken } from "js-tokens";
import { type CodeToken, codeTokens } from "./code-tokens.js";
import { counted } from "./counted.js";
import { MAX_CHAIN, MAX_DEPTH } from "./depth.js";

/** Why code cannot be given to a parser, and where, counted from its start. */
export interface DepthProblem {
  readonly message: string;
  readonly offset: number;
}

/**
 * Whether code is nested too deeply for parsers, which call themselves for each level; undefined if it is not. It need not be
 * right. Its tokens are counted in one pass, without a parser: brackets, and what nests without them, as `a ? b : c ? d : e`,
 * `!!a`, `if (a) if (b)` and `A<B<C>>`. Constructs that only a parser could classify count as nested.
 *
 * @param jsx whether `<a>` may begin an element of JSX
 */
export function depthProblem(code: string, { jsx = false } = {}): DepthProblem | undefined {
  // A type parameter looks like an element, and the code after it like text.
  for (const asJsx of jsx ? [false, true] : [false]) {
    const counter = new DepthCounter(!jsx);
    let offset = 0;
    for (const token of codeTokens(code, { jsx: asJsx })) {
      counter.take(token, offset);
      offset += token.value.length;
    }
    const problem = counter.problem();
    if (problem) return problem;
  }
  return undefined;
}

/** The open constructs in one pair of brackets, or outside all brackets. */
interface Level {
  /** The depth of what is around it. */
  readonly outer: number;
  /** Whether it is the condition of a statement, which continues after it. */
  readonly isHead: boolean;
  /** Constructs that nest up to the end of an expression or statement: `a ? b :`, `a =>`, `a =`, `if (a)`, `a:`. */
  open: number;
  /** The value of `open` before the last semicolon. An `else` after it restores the value. */
  openBefore: number;
  /** Constructs that nest up to the next binary operator: `!`, `typeof`, `a **`. */
  prefixes: number;
  /** Each `<` that may begin type arguments. */
  angles: number;
  /** Each `?` whose `:` has not come. */
  questions: number;
  /** The height of the tree that the expression so far is. */
  chain: number;
  /** The highest of those before it. */
  highest: number;
  /** Whether commas are operators or separate declarations here, not elements, arguments or members. */
  readonly isSequence: boolean;
  /** Commas of the statement so far. */
  commas: number;
}

const heads: ReadonlySet<string> = new Set(["if", "for", "while", "with"]);
const prefixWords: ReadonlySet<string> = new Set(
  "typeof void delete await new yield keyof infer readonly unique".split(" "),
);
const infixWords: ReadonlySet<string> = new Set(["in", "instanceof", "as", "satisfies", "is", "of"]);
/** After these a line that does not go on ends a statement. */
const leaving: ReadonlySet<string> = new Set(["return", "break", "continue", "debugger"]);
const prefixSigns: ReadonlySet<string> = new Set(["!", "~", "+", "-", "++", "--"]);
/** After a value on the same line these are postfix operators; on a new line they begin an expression. */
const postfixSigns: ReadonlySet<string> = new Set(["!", "++", "--"]);
const withoutMeaning: ReadonlySet<string> = new Set([
  ...["WhiteSpace", "LineTerminatorSequence", "SingleLineComment", "MultiLineComment", "HashbangComment"],
  ...["JSXText", "JSXString", "JSXIdentifier"],
]);
const assignment = /^(?:[*/%&^|+-]|\*\*|<<|>>>?|&&|\|\||\?\?)?=$/;
const lineBreak = /[\n\r\u2028\u2029]/;
/** The name of a member, which may be a word of the language. */
const MEMBER = ".name";

class DepthCounter {
  readonly #hasCasts: boolean;
  readonly #levels: Level[] = [newLevel({ outer: 0, isHead: false, isSequence: true })];
  #level = this.#levels[0] as Level;
  /** Whether an operand has just ended, so that a sign that follows is one between two. */
  #isOperand = false;
  #isNewLine = false;
  /** The last token, except for spaces and comments. */
  #last = "";
  #deepest = 0;
  #deepOffset = 0;
  #longest = 0;
  #longOffset = 0;

  /** @param hasCasts whether `<` may begin a cast */
  constructor(hasCasts: boolean) {
    this.#hasCasts = hasCasts;
  }

  problem(): DepthProblem | undefined {
    if (this.#deepest > MAX_DEPTH) {
      const message = `The code is nested ${counted(this.#deepest, "level")} deep. Limit: ${counted(MAX_DEPTH)}. Move its inner parts to variables or functions.`;
      return { message, offset: this.#deepOffset };
    }
    if (this.#longest <= MAX_CHAIN) return undefined;
    const message = `An expression chains ${counted(this.#longest)} operators, calls and members. Limit: ${counted(MAX_CHAIN)}. Split it into several statements.`;
    return { message, offset: this.#longOffset };
  }

  take(token: CodeToken | JSXToken, offset: number): void {
    const { type, value } = token;
    if (type === "LineTerminatorSequence" || type === "MultiLineComment") this.#isNewLine ||= lineBreak.test(value);
    // `for await` has a condition like `for`.
    if (withoutMeaning.has(type) || (value === "await" && this.#last === "for")) return;
    const isMember = type === "IdentifierName" && (this.#last === "." || this.#last === "?.");
    this.#isOperand = isMember || this.#read(token);
    this.#last = isMember ? MEMBER : value;
    this.#isNewLine = false;
    // Regular expressions have a separate parser; and its slashes may be divisions.
    this.#note(offset, type === "RegularExpressionLiteral" ? groupDepth(value) : 0);
  }

  /** The first construct without brackets in a pair of brackets is not counted: `x = [`, `if (a) {`. */
  get #depth(): number {
    const { outer, open, prefixes, angles } = this.#level;
    return outer + Math.max(0, open + prefixes + angles - 1);
  }

  #note(offset: number, inside: number): void {
    const { chain: height, isSequence, commas } = this.#level;
    const chain = isSequence ? Math.max(height, commas) : height;
    const depth = this.#depth + inside;
    if (depth > MAX_DEPTH && this.#deepest <= MAX_DEPTH) this.#deepOffset = offset;
    if (chain > MAX_CHAIN && this.#longest <= MAX_CHAIN) this.#longOffset = offset;
    this.#deepest = Math.max(this.#deepest, depth);
    this.#longest = Math.max(this.#longest, chain);
  }

  /** Counts a token. Returns whether an operand ends with it. */
  #read({ type, value }: CodeToken | JSXToken): boolean {
    switch (type) {
      case "IdentifierName":
        return this.#word(value);
      case "Punctuator":
        return this.#sign(value);
      case "JSXPunctuator":
        return this.#jsxSign(value);
      case "TemplateHead":
        this.#continue();
        return this.#open(value);
      case "TemplateMiddle":
        this.#end();
        return false;
      case "TemplateTail":
        return this.#close();
      case "NoSubstitutionTemplate":
        this.#continue();
        return true;
      default:
        // The tokenizer does not know decorators.
        if (value === "@") return this.#sign(value);
        this.#begin();
        return true;
    }
  }

  /** The expression, or the statement, ends. */
  #end({ keepsAngles = false } = {}): void {
    const level = this.#level;
    level.openBefore = level.open;
    level.highest = Math.max(level.highest, level.chain);
    if (!keepsAngles) level.angles = 0;
    level.open = level.prefixes = level.questions = level.chain = level.commas = 0;
  }

  /** Ends the statement before a token that cannot go on with it: on another line, or behind a block. */
  #begin(): void {
    const isOver = this.#isNewLine && (this.#isOperand || leaving.has(this.#last));
    if (isOver || this.#last === "}") this.#end();
  }

  /** A call or a template after a value wraps the value. */
  #continue(): void {
    if (this.#isOperand) this.#level.chain += 1;
  }

  #prefix(): boolean {
    this.#begin();
    this.#level.prefixes += 1;
    return false;
  }

  #infix({ ofTypes = false } = {}): boolean {
    const level = this.#level;
    level.prefixes = 0;
    if (!ofTypes) level.angles = 0;
    level.chain += 1;
    return false;
  }

  #nest(): boolean {
    this.#level.prefixes = 0;
    this.#level.open += 1;
    return false;
  }

  #open(bracket: string): boolean {
    const isHead = bracket === "(" && heads.has(this.#last);
    this.#level = newLevel({ outer: this.#depth + 1, isHead, isSequence: bracket === "(" && !this.#isOperand });
    this.#levels.push(this.#level);
    return false;
  }

  #close(): boolean {
    // Invalid code may close more brackets than it opens.
    if (this.#levels.length === 1) return true;
    const { chain, highest, isHead } = this.#level;
    this.#levels.pop();
    this.#level = this.#levels.at(-1) as Level;
    this.#level.chain = Math.max(this.#level.chain, chain + 1, highest + 1);
    return !isHead;
  }

  #word(word: string): boolean {
    const level = this.#level;
    if (infixWords.has(word) && this.#isOperand) return this.#infix();
    if (word === "extends" || word === "implements") return false;
    if (word === "else") {
      if (this.#last === ";") level.open = level.openBefore;
      return false;
    }
    if (prefixWords.has(word)) return this.#prefix();
    this.#begin();
    if (word === "case") this.#end();
    if (heads.has(word) || word === "do" || word === "class") return this.#nest();
    return !leaving.has(word) && word !== "throw" && word !== "case";
  }

  #sign(sign: string): boolean {
    const level = this.#level;
    switch (sign) {
      case "(":
        // A called name is not a type, except `import("m")`.
        if (this.#isOperand && this.#last !== "import") level.angles = 0;
        this.#continue();
        return this.#open(sign);
      case "[":
        this.#continue();
        return this.#open(sign);
      case "{":
        return this.#open(sign);
      case ")":
      case "]":
      case "}":
        return this.#close();
      case ";":
        this.#end();
        return false;
      case ",": {
        const commas = level.commas + 1;
        this.#end({ keepsAngles: true });
        level.commas = commas;
        return false;
      }
      case "?":
        level.questions += 1;
        level.angles = 0;
        return this.#nest();
      case ":":
        if (level.questions === 0) level.angles = 0;
        if (level.questions === 0) return this.#nest();
        level.questions -= 1;
        level.prefixes = 0;
        return false;
      case "=>":
        return this.#nest();
      case "<":
        // After a value it may be a comparison; parsers try type arguments first.
        if (this.#hasCasts && (!this.#isOperand || this.#last === ">")) level.prefixes += 1;
        level.angles += 1;
        return false;
      case ">":
      case ">>":
      case ">>>":
        if (level.angles === 0) return this.#infix();
        level.angles = Math.max(0, level.angles - sign.length);
        return true;
      case "**":
        level.prefixes += 1;
        level.chain += 1;
        return false;
      case ".":
      case "?.":
        level.chain += 1;
        return false;
      case "&":
      case "|":
        return this.#infix({ ofTypes: true });
      case "@":
        // The expression of a decorator may begin with a decorated class.
        if (this.#last === "@") level.prefixes += 1;
        return false;
      case "...":
        return false;
    }
    if (assignment.test(sign)) {
      level.angles = 0;
      return this.#nest();
    }
    const isPrefix = prefixSigns.has(sign) && (!this.#isOperand || (this.#isNewLine && postfixSigns.has(sign)));
    if (isPrefix) return this.#prefix();
    if (!postfixSigns.has(sign)) return this.#infix();
    level.chain += 1;
    return true;
  }

  /** An element of JSX is open from `<a>` to `</a>`, or to `/>`. */
  #jsxSign(sign: string): boolean {
    const level = this.#level;
    if (sign === "{") return this.#open(sign);
    if (sign === "}") return this.#close();
    if (sign === "<") level.angles += 1;
    if (sign === "/") level.angles = Math.max(0, level.angles - (this.#last === "<" ? 2 : 1));
    return sign === ">";
  }
}

function newLevel(context: Pick<Level, "outer" | "isHead" | "isSequence">): Level {
  const counts = { open: 0, openBefore: 0, prefixes: 0, angles: 0, questions: 0, chain: 0, highest: 0, commas: 0 };
  return { ...context, ...counts };
}

/** How deep brackets are in each other in a regular expression. */
function groupDepth(text: string): number {
  let [depth, deepest] = [0, 0];
  for (const [bracket] of text.matchAll(/\\.|[[\](){}]/gs)) {
    if ("([{".includes(bracket)) depth += 1;
    else if (")]}".includes(bracket)) depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
