import { readName } from "../engine/names/read-name.js";
import type { CellRunner } from "../engine/run/cell-runner.js";
import { type DebugDesk, debugDeskName } from "../threads/debug-desk.js";
import { entriesOf, sizeOf } from "./value-entries.js";

/** Makes the desk of a debugger, and puts it where the inspector finds it. */
export function installDebugDesk(runner: Pick<CellRunner, "names" | "fields" | "sources" | "bundle">): void {
  let lent: readonly string[] = [];
  let takeBack = () => {};
  const desk: DebugDesk = {
    get self() {
      return desk;
    },
    sources: (names) => runner.sources.filter(({ name }) => names?.includes(name) ?? true),
    names: () => {
      const values: Record<string, unknown> = Object.create(null);
      for (const name of namesOf(runner.names)) {
        const read = readName(runner.names, name);
        if (read) values[name] = read.value;
      }
      return values;
    },
    lend: (isLent) => {
      for (const name of lent) Reflect.deleteProperty(globalThis, name);
      lent = isLent ? namesOf(runner.names).filter((name) => !(name in globalThis)) : [];
      for (const name of lent) lendName(runner, name);
      takeBack();
      takeBack = isLent ? runner.fields.layOut() : () => {};
    },
    holds: (condition) => {
      const takeAway = runner.fields.layOut();
      try {
        return condition();
      } finally {
        takeAway();
      }
    },
    shown: (value) => runner.fields.shown(value),
    size: sizeOf,
    entries: entriesOf,
    bundle: (value) => runner.bundle(value),
  };
  Object.defineProperty(globalThis, Symbol.for(debugDeskName), { value: desk });
}

/** Without those that compilers make. */
function namesOf(names: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.getOwnPropertyNames(names).filter((name) => !/^(__siteframe_|__esModule$|tsLastExpr$)/.test(name));
}

function lendName({ names }: Pick<CellRunner, "names">, name: string): void {
  Object.defineProperty(globalThis, name, {
    get: () => names[name],
    set: (value: unknown) => {
      Reflect.set(names, name, value);
    },
    configurable: true,
  });
}
