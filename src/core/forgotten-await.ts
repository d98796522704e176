import { ArgumentError } from "./errors.js";

/**
 * What is asked of a table, a layer, a history, a site, a snapshot, or what questions and comparisons answer. By names, since
 * they are asked of promises before any of these is loaded; `test/core/forgotten-await.test.ts` says which are missing.
 * Not among them is what anybody may look for in any value, to see what it is: `name`, `size`, `toJSON`.
 */
const members =
  // Of tables.
  "antijoin array assign columnAt columnIndex columnName columnNames comparator concat count create cross dedupe except " +
  "filter fold get getter groupby groups impute indices intersect isFiltered isGrouped isOrdered join join_full join_left " +
  "join_right lookup mask numCols numRows object objects orderby params partitions pivot print reduce reify relocate " +
  "rename rollup sample scan select semijoin slice spread toArrow toArrowIPC toCSV toHTML toMarkdown totalRows ungroup " +
  "union unorder unroll values " +
  // Of layers.
  "added column data derive describe findings follow history origin past places provenance readAt rowCount schema sql " +
  "table toDanfo toGeoJSON toGeoPackage toParquet toXLSX " +
  // Of histories and questions.
  "againstPlan ageing asOf at blocks causes changeCount changes columns counts definitions diff durations flow forecast intervals " +
  "knownAt lateEdits lateEntries layerAt panel people progress reached reconcile states steps survival timeZone toOCEL " +
  "totals transitions until versions " +
  // Of sources, sites and snapshots.
  "close copy datasets layer layers operations pages printSql propertyDefinitions questions record records site sites " +
  // Of what compares.
  "anomalies captures coverage stages";

const callOf = new WeakMap<object, string>();

/** What stands behind the promises of our calls, before that of all promises: to `await` they are like all others. */
const waiting = tellMembers(Object.create(Promise.prototype) as object);

/**
 * Lets a promise say that `await` was forgotten where it is used as if it were the value: `source.layer(…).history()`,
 * `for (const row of source.sites())`. It stays a promise like any other to `await`, `then`, `instanceof` and those who print it.
 *
 * @param call as users write it: `source.layer()`
 */
export function givenBy<T>(call: string, promise: Promise<T>): Promise<T> {
  callOf.set(promise, call);
  return Object.setPrototypeOf(promise, waiting) as Promise<T>;
}

/**
 * The same for what methods of a class give, whichever of them give promises.
 *
 * @param owner what users call an object of the class: `source`
 */
export function tellPromises(owner: string, prototype: object): void {
  for (const [name, { value, ...descriptor }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (typeof value !== "function" || name === "constructor") continue;
    const call = `${owner}.${name}()`;
    const method = function (this: unknown, ...given: readonly unknown[]): unknown {
      const result: unknown = Reflect.apply(value, this, given);
      return result instanceof Promise ? givenBy(call, result) : result;
    };
    Object.defineProperty(method, "name", { value: name });
    Object.defineProperty(prototype, name, { ...descriptor, value: method });
  }
}

/** The same for what can be awaited and is no promise. Members that it has stay. */
export function tellMembers<Prototype extends object>(prototype: Prototype): Prototype {
  for (const name of [...members.split(" "), Symbol.iterator]) {
    if (Object.hasOwn(prototype, name)) continue;
    Object.defineProperty(prototype, name, {
      configurable: true,
      get(this: object): never {
        throw forgottenAwait(this, name);
      },
      set(this: object, value: unknown) {
        Object.defineProperty(this, name, { value, configurable: true, enumerable: true, writable: true });
      },
    });
  }
  return prototype;
}

/** Says by which call something was given that can be awaited and is no promise. */
export function nameCall<T extends object>(call: string, given: T): T {
  callOf.set(given, call);
  return given;
}

/** Whether a value is a promise, of whomever, or what a call of ours gives that can be awaited. */
export function isAwaitable(value: unknown): value is object {
  return value instanceof Promise || (typeof value === "object" && value !== null && callOf.has(value));
}

/**
 * @param value what should be a table, a layer, a history or the like
 * @throws ArgumentError for what has to be awaited first
 */
export function requireAwaited(value: unknown): void {
  if (isAwaitable(value)) throw forgottenAwait(value, undefined);
}

/** What to write in place of what a call of ours gives, where that is shown. Undefined of a promise of anybody else's. */
export function awaitHint(given: object): string | undefined {
  const call = callOf.get(given);
  return call === undefined ? undefined : hintOf(call, undefined);
}

function hintOf(call: string | undefined, member: string | undefined): string {
  if (call === undefined) return "Did you forget `await`?";
  const awaited = `await ${call.replace("()", "(…)")}`;
  return `Did you forget \`await\`? Write ${member === undefined ? awaited : `(${awaited}).${member}`}.`;
}

function forgottenAwait(given: object, member: string | symbol | undefined): ArgumentError {
  // Nobody waits for it any more, so that nobody would take what it fails with.
  if (given instanceof Promise) given.catch(() => undefined);
  const call = callOf.get(given);
  const what = call === undefined ? "A promise" : `${call} gives a promise, which`;
  const sought = typeof member === "string" ? member : "rows";
  const message =
    member === undefined ? "was given where its value is needed" : `has no ${sought} before it is awaited`;
  return new ArgumentError(`${what} ${message}.`, {
    hint: hintOf(call, typeof member === "string" ? member : undefined),
    facts: { call },
  });
}
