import { ArgumentError } from "./errors.js";

/**
 * Members of tables, layers, histories, sites, snapshots, and of results of queries and comparisons. They are listed by
 * name, since promises are accessed before any of these is loaded; `test/core/forgotten-await.test.ts` reports missing
 * ones. The list excludes members that any code may read to inspect a value: `name`, `size`, `toJSON`.
 */
const members =
  // Of tables.
  "antijoin array assign columnAt columnIndex columnName columnNames comparator concat count create cross dedupe except " +
  "filter fold get getter groupby groups head impute indices intersect isFiltered isGrouped isOrdered join join_full join_left " +
  "join_right lookup mask numCols numRows object objects orderby params partitions pivot print reduce reify relocate " +
  "rename rollup sample scan select semijoin slice spread toArrow toArrowIPC toCSV toHTML toMarkdown totalRows ungroup " +
  "union unorder unroll values " +
  // Of layers.
  "added column data derive describe diagnostics lookup history origin past centroids spatialJoin provenance readAt rowCount schema sql " +
  "table toDanfo toGeoJSON toGeoPackage toParquet toXLSX " +
  // Of histories and questions.
  "planVariance aging asOf at joinAsOf blocks causeTrees changes columns counts definitions diff durations flow forecast intervals " +
  "knownAt lateEdits lateEntries layerAsOf panel editsByUser progress firstReached reconcile states steps survival timeZone toOCEL " +
  "totals transitions until versions " +
  // Of sources, sites and snapshots.
  "close writeTo datasets layer layers operations pages toSQL propertyDefinitions lazyHistory record records site sites " +
  // Of comparisons.
  "anomalies captures coverage stages";

const callOf = new WeakMap<object, string>();

/**
 * Prototypes for promises of Siteframe's calls, in front of the promise prototype: to `await` they are ordinary
 * promises.
 */
const waiting = tellMembers(Object.create(Promise.prototype) as object);

/**
 * Makes a promise report a forgotten `await` if it is used as its value: `source.layer(…).history()`, `for (const row
 * of source.sites())`. It stays an ordinary promise for `await`, `then`, `instanceof` and printing.
 *
 * @param call as users write it: `source.layer()`
 */
export function givenBy<T>(call: string, promise: Promise<T>): Promise<T> {
  callOf.set(promise, call);
  return Object.setPrototypeOf(promise, waiting) as Promise<T>;
}

/**
 * The same for all methods of a class that return promises.
 *
 * @param owner the variable name of an object of the class, as users write it: `source`
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

/** The same for an awaitable object that is not a promise. Its own members stay. */
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

/** Registers the call that returned an awaitable object that is not a promise. */
export function nameCall<T extends object>(call: string, given: T): T {
  callOf.set(given, call);
  return given;
}

/** Whether a value is a promise, or an awaitable object that a Siteframe call returned. */
export function isAwaitable(value: unknown): value is object {
  return value instanceof Promise || (typeof value === "object" && value !== null && callOf.has(value));
}

/**
 * @param value what should be a table, a layer, a history or the like
 * @throws ArgumentError if the value must be awaited first
 */
export function requireAwaited(value: unknown): void {
  if (isAwaitable(value)) throw forgottenAwait(value, undefined);
}

/**
 * Returns the code to write if the result of a Siteframe call is shown without `await`. Undefined for other promises.
 */
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
  // No other code handles its rejection.
  if (given instanceof Promise) given.catch(() => undefined);
  const call = callOf.get(given);
  const what = call === undefined ? "A promise" : `${call} returns a promise, which`;
  const sought = typeof member === "string" ? member : "rows";
  const message =
    member === undefined ? "was given where its value is needed" : `has no ${sought} before it is awaited`;
  return new ArgumentError(`${what} ${message}.`, {
    hint: hintOf(call, typeof member === "string" ? member : undefined),
    facts: { call },
  });
}
