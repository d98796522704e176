import { join } from "node:path";
import { packageFolder } from "../../../core/package-folder.js";
import type { CompletionKind } from "./language-engine.js";

/** The source of a name that cells have without importing it. `export` is omitted for the whole module. */
export interface Preload {
  readonly module: string;
  readonly export?: string;
  /** The part of the module that cells load for it: see `ModuleLoader`. */
  readonly part?: string;
  /** A small Siteframe file with the same declarations, which the compiler reads faster than the module. */
  readonly types?: string;
  /** Code that may use types built on Node's types, which take a while to read. */
  readonly ofNode?: RegExp;
  /** Shown before the package's types are read. */
  readonly kind: CompletionKind;
}

/** Names that cells have without importing them. The first cell that uses a name loads it. */
export const preloadedNames: Readonly<Record<string, Preload>> = {
  aq: { module: "arquero", kind: "module", ofNode: /Stream|\bload/ },
  Plot: {
    ...{ module: "siteframe/plot", export: "Plot", kind: "module" },
    ...{ part: "siteframe/plot#Plot", types: "dist/src/plot/figure/plot.js" },
  },
  connect: { module: "siteframe", export: "connect", kind: "function", ofNode: /\bconnect\b/ },
  openSnapshot: { module: "siteframe", export: "openSnapshot", kind: "function", ofNode: /\bopenSnapshot\b/ },
};

/** Declarations of the functions that cells have without importing them: the body of `declare global`. */
const globalsDeclaration = `  /** Shows a value below the cell: a table, a plot, anything. With \`update\`, replaces the display of that \`id\`. */
  function display(value: unknown, options?: { readonly id?: string; readonly update?: boolean }): void;
  /** Shows a value in the pager, beside the notebook. */
  function page(value: unknown): void;
  /** Removes the cell's output so far. With \`wait\`, when the next output comes, so that nothing flickers. */
  function clearOutput(options?: { readonly wait?: boolean }): void;
  /** Asks the user for a line of text. With \`password\`, it is not shown. */
  function input(prompt?: string, options?: { readonly password?: boolean }): Promise<string>;
  /** Is aborted when this cell is interrupted: \`fetch(url, { signal })\`. Reads of Siteframe use it by default. */
  const signal: AbortSignal;
  interface SiteframeVariable {
    readonly name: string;
    readonly type: string;
    readonly size: string;
    readonly bytes: number | null;
    readonly read_at: Date | null;
  }
  /** Lists your variables with type, size, estimated memory in bytes, and when their data was read. */
  function whos(): readonly SiteframeVariable[];
  interface SiteframeComm {
    readonly id: string;
    readonly target: string;
    send(data: unknown, extras?: { readonly metadata?: object; readonly buffers?: readonly Uint8Array[] }): void;
    close(data?: unknown): void;
    onMessage: ((message: SiteframeCommMessage) => void) | undefined;
    onClose: ((message: SiteframeCommMessage) => void) | undefined;
  }
  interface SiteframeCommMessage {
    readonly data: unknown;
    readonly metadata: Readonly<Record<string, unknown>>;
    readonly buffers: readonly Uint8Array[];
  }
  /** Lines between objects in the notebook's page and in the kernel, as widgets use them. */
  const comms: {
    open(target: string, data?: unknown, extras?: { readonly metadata?: object; readonly buffers?: readonly Uint8Array[] }): SiteframeComm;
    register(target: string, onOpen: (comm: SiteframeComm, message: SiteframeCommMessage) => void): void;
  };
  interface SiteframeMarkup { readonly source: string; toString(): string }
  interface SiteframeMarkupTag {
    (parts: TemplateStringsArray, ...values: readonly unknown[]): SiteframeMarkup;
    (source: string): SiteframeMarkup;
  }
  /** HTML to show. Values in a template are escaped; values that show themselves as HTML are inserted. */
  const html: SiteframeMarkupTag;
  /** Markdown to show. Values in a template are escaped. */
  const md: SiteframeMarkupTag;
  /** An SVG image to show. Values in a template are escaped. */
  const svg: SiteframeMarkupTag;`;

/**
 * Declarations of the names that cells have without importing them. The compiler reads them as a separate module.
 *
 * @param typed names with types, which take a while to read; the others have type any
 */
export function preloadedDeclaration(typed: ReadonlySet<string>): string {
  const preloads = Object.entries(preloadedNames).map(
    ([name, preload]) => `  const ${name}: ${typed.has(name) ? typeOf(preload) : "any"};`,
  );
  return `declare global {\n${[...preloads, globalsDeclaration].join("\n")}\n}`;
}

function typeOf({ module, types, export: exported }: Preload): string {
  const from = types === undefined ? module : join(packageFolder, types);
  return `typeof import(${JSON.stringify(from)})${exported === undefined ? "" : `.${exported}`}`;
}

/** The module that cells load for a name. */
export function loadedFor({ module, part = module }: Preload): string {
  return part;
}

const mention = new RegExp(`\\b(${Object.keys(preloadedNames).join("|")})\\b`, "g");

/** Returns the preloaded names that code may use. */
export function mentionedPreloads(code: string): ReadonlySet<string> {
  return new Set(code.match(mention));
}

/** Whether code may use preloaded names whose types are built on Node's. */
export function needsNodeFor(names: Iterable<string>, code: string): boolean {
  return [...names].some((name) => preloadedNames[name]?.ofNode?.test(code));
}

/** Modules without side effects. Others are loaded by the cell that imports them. */
const inertModules = ["siteframe", "arquero", "siteframe/arquero", "siteframe/plot", "siteframe/widget"];

/** Modules of Siteframe and of its parts that code will use. */
export function ownModules(code: string): readonly string[] {
  const named = inertModules.filter((module) => code.includes(`"${module}"`) || code.includes(`'${module}'`));
  const preloaded = [...mentionedPreloads(code)].map((name) => loadedFor(preloadedNames[name] as Preload));
  return [...new Set([...named, ...preloaded])];
}
