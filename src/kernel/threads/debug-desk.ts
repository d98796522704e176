import type { MimeBundle } from "../../tables/display/bundle/mime-bundle.js";
import type { SourceText } from "../engine/cell/source-text.js";

/**
 * What the thread of the cells has for a debugger, which calls it through the inspector: so it answers while a cell runs
 * or is stopped, too. None of it runs code of the user's but `bundle`.
 */
export interface DebugDesk {
  readonly self: DebugDesk;
  /** What ran under these names, or all that did. */
  sources(names?: readonly string[]): readonly SourceText[];
  /** The names of all cells, with their values, on an object without a prototype. */
  names(): object;
  /**
   * Lets every script read and write the names of cells as if they were global, and where cells declared them, until it
   * is told `false`.
   */
  lend(lent: boolean): void;
  /** Whether a condition holds, which may name variables where cells declared them. */
  holds(condition: () => unknown): unknown;
  /** What to show for the value of a variable. */
  shown(value: object): unknown;
  /** How many entries a value has. */
  size(value: object): number;
  /** Some of a value's entries, by their names, on an object without a prototype. */
  entries(value: object, from: number, to: number): object;
  /** A value as it shows itself. */
  bundle(value: unknown): MimeBundle | Promise<MimeBundle>;
}

/** The name under which `globalThis` has the desk. */
export const debugDeskName = "siteframe.debug";
