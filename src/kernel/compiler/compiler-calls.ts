import type { EngineName } from "../engine/cell/engine-name.js";
import type { CellLanguage } from "../engine/cell/language-engine.js";

/** What the compiler's thread is started with, beside its ports. */
export interface CompilerThreadData {
  readonly directory: string;
  readonly engine: EngineName;
}

/** The questions that the compiler's thread answers. */
export type CompilerMethod =
  | "compile"
  | "complete"
  | "inspect"
  | "isComplete"
  | "warnings"
  | "findModule"
  | "compileModule";

/** A question to the compiler's thread. */
export interface CompilerCall {
  readonly id: number;
  readonly method: CompilerMethod;
  readonly values: readonly unknown[];
}

/** Its answer. */
export type CompilerAnswer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly failure: string };

/** `CellLanguage` as seen from another thread. */
export type RemoteCompiler = {
  readonly [Method in CompilerMethod]: (
    ...values: Parameters<CellLanguage[Method]>
  ) => Promise<Awaited<ReturnType<CellLanguage[Method]>>>;
};
