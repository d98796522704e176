import { join } from "node:path";
import { packageFolder } from "../../../core/package-folder.js";
import type { CompletionKind } from "./language-engine.js";

/** Where a name comes from that cells have without importing it; `export` is left out for the whole module. */
export interface Preload {
  readonly module: string;
  readonly export?: string;
  /** What cells load for it, if it is a part of the module: see `ModuleLoader`. */
  readonly part?: string;
  /** A file of Siteframe's that declares the same and little else, which takes a compiler less time than the module. */
  readonly types?: string;
  /** Code that may mean something whose types are made of Node's, which take a while to read. */
  readonly ofNode?: RegExp;
  /** Told before the types of the package have been read. */
  readonly kind: CompletionKind;
}

/** Names that cells have without importing them. They are loaded by the first cell that uses them. */
export const preloadedNames: Readonly<Record<string, Preload>> = {
  aq: { module: "arquero", kind: "module", ofNode: /Stream|\bload/ },
  Plot: {
    ...{ module: "siteframe/plot", export: "Plot", kind: "module" },
    ...{ part: "siteframe/plot#Plot", types: "dist/src/plot/figure/plot.js" },
  },
  connect: { module: "siteframe", export: "connect", kind: "function", ofNode: /\bconnect\b/ },
  openSnapshot: { module: "siteframe", export: "openSnapshot", kind: "function", ofNode: /\bopenSnapshot\b/ },
};

/** What cells see of the functions that they have without importing them: the inside of a `declare global`. */
const globalsDeclaration = `  /** Shows a value below the cell: a table, a plot, anything. With \`update\`, replaces the display of that \`id\`. */
  function display(value: unknown, options?: { readonly id?: string; readonly update?: boolean }): void;
  /** Shows a value in the pager, beside the notebook. */
  function page(value: unknown): void;
  /** Removes the cell's output so far. With \`wait\`, when the next output comes, so that nothing flickers. */
  function clearOutput(options?: { readonly wait?: boolean }): void;
  /** Asks the user for a line of text. With \`password\`, it is not shown. */
  function input(prompt?: string, options?: { readonly password?: boolean }): Promise<string>;
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
 * What cells see of the names that they have without importing them. The compiler reads it as a module of its own.
 *
 * @param typed those that have their types, which take a while to read; the others can be anything
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

/** What cells load for a name. */
export function loadedFor({ module, part = module }: Preload): string {
  return part;
}

const mention = new RegExp(`\\b(${Object.keys(preloadedNames).join("|")})\\b`, "g");

/** Which of these names code may use. */
export function mentionedPreloads(code: string): ReadonlySet<string> {
  return new Set(code.match(mention));
}

/** Whether code may mean something of these names whose types are made of Node's. */
export function needsNodeFor(names: Iterable<string>, code: string): boolean {
  return [...names].some((name) => preloadedNames[name]?.ofNode?.test(code));
}

/** What changes nothing when it is loaded. The rest waits for the cell that imports it. */
const inertModules = ["siteframe", "arquero", "siteframe/arquero", "siteframe/plot", "siteframe/widget"];

/** Those of Siteframe's modules, and of what it is made of, that code is going to use. */
export function ownModules(code: string): readonly string[] {
  const named = inertModules.filter((module) => code.includes(`"${module}"`) || code.includes(`'${module}'`));
  const preloaded = [...mentionedPreloads(code)].map((name) => loadedFor(preloadedNames[name] as Preload));
  return [...new Set([...named, ...preloaded])];
}
