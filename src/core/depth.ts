/**
 * Maximum nesting depth of JSON, code, Markdown, cells and messages. Recursive functions, including those of native
 * parsers, overflow the stack at some multiple of it, which ends the process. `SECURITY.md` documents the limit.
 */
export const MAX_DEPTH = 500;

/**
 * Maximum number of operators, calls and members in one expression: `a + a + a`, `a.b().c()`. For parsers each adds a
 * level, which needs less stack than a bracket, and generated code has thousands.
 */
export const MAX_CHAIN = 10_000;
