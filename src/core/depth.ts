/**
 * How many levels JSON, code, Markdown, cells and messages may be nested. Functions that call themselves for each level, also
 * those of native parsers, meet the end of the stack at some multiple of it, which ends the process. `SECURITY.md` documents it.
 */
export const MAX_DEPTH = 500;

/**
 * How many operators, calls and members one expression may chain: `a + a + a`, `a.b().c()`. To parsers each is a level around
 * those before it, which takes less stack than a bracket, and generated code has thousands.
 */
export const MAX_CHAIN = 10_000;
