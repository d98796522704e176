/** Names that the language has without Node: of values, then of types. */
const languageNames: ReadonlySet<string> = new Set(
  `globalThis undefined NaN Infinity eval isFinite isNaN parseFloat parseInt decodeURI decodeURIComponent encodeURI
  encodeURIComponent escape unescape Object Function Boolean Symbol Error AggregateError EvalError RangeError
  ReferenceError SyntaxError TypeError URIError Number BigInt Math Date String RegExp Array Int8Array Uint8Array
  Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array BigInt64Array BigUint64Array Float32Array Float64Array
  Map Set WeakMap WeakSet WeakRef FinalizationRegistry ArrayBuffer SharedArrayBuffer DataView Atomics JSON Promise Proxy
  Reflect Intl
  Record Partial Required Readonly Pick Omit Exclude Extract NonNullable Parameters ConstructorParameters ReturnType
  InstanceType Awaited Uppercase Lowercase Capitalize Uncapitalize NoInfer PromiseLike ReadonlyArray ReadonlyMap
  ReadonlySet PropertyKey PropertyDescriptor ArrayLike Iterable Iterator IterableIterator IteratorResult AsyncIterable
  AsyncIterator AsyncIterableIterator Generator AsyncGenerator TemplateStringsArray ThisType const
  display page clearOutput input comms html md svg aq Plot connect openSnapshot`.split(/\s+/),
);

/** The methods of `console` that are declared without Node's types. */
const plainConsole = /^console\s*\.\s*(log|error|warn|info|debug)\s*\(/;

/** What stands for Node's types until a cell needs them, which costs time and memory. */
export const consoleDeclaration = `interface Console {
  log(message?: any, ...optionalParams: any[]): void;
  error(message?: any, ...optionalParams: any[]): void;
  warn(message?: any, ...optionalParams: any[]): void;
  info(message?: any, ...optionalParams: any[]): void;
  debug(message?: any, ...optionalParams: any[]): void;
}
var console: Console;`;

/** Whether a name that nobody declared can only be one of Node's. */
export function isOfNode(name: string, code: string, start?: number): boolean {
  if (name === "console" && start !== undefined) return !plainConsole.test(code.slice(start, start + 30));
  return !languageNames.has(name);
}
