import type { CellLanguage } from "../engine/cell/language-engine.js";

/** The questions that the compiler's thread answers. */
export type LanguageMethod =
  | "compile"
  | "complete"
  | "inspect"
  | "isComplete"
  | "warnings"
  | "findModule"
  | "compileModule";

/** A question to the compiler's thread. */
export interface LanguageCall {
  readonly id: number;
  readonly method: LanguageMethod;
  readonly values: readonly unknown[];
}

/** Its answer. */
export type LanguageAnswer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly failure: string };

/** `CellLanguage` as seen from another thread. */
export type RemoteLanguage = {
  readonly [Method in LanguageMethod]: (
    ...values: Parameters<CellLanguage[Method]>
  ) => Promise<ReturnType<CellLanguage[Method]>>;
};
