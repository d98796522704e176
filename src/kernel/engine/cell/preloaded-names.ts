import type { CompletionKind } from "./language-engine.js";

/** Where a name comes from that cells have without importing it; `export` is left out for the whole module. */
export interface Preload {
  readonly module: string;
  readonly export?: string;
  /** Told before the types of the package have been read. */
  readonly kind: CompletionKind;
}

/** Names that cells have without importing them. They are loaded by the first cell that uses them. */
export const preloadedNames: Readonly<Record<string, Preload>> = {
  aq: { module: "arquero", kind: "module" },
  Plot: { module: "siteframe/plot", export: "Plot", kind: "module" },
  connect: { module: "siteframe", export: "connect", kind: "function" },
  openSnapshot: { module: "siteframe", export: "openSnapshot", kind: "function" },
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
 * @param typed false: the names alone, without the types of the packages they come from, which take a while to read
 */
export function preloadedDeclaration(typed: boolean): string {
  const preloads = Object.entries(preloadedNames).map(([name, { module, export: exported }]) => {
    const type = `typeof import("${module}")${exported === undefined ? "" : `.${exported}`}`;
    return `  const ${name}: ${typed ? type : "any"};`;
  });
  return `declare global {\n${[...preloads, globalsDeclaration].join("\n")}\n}`;
}

const mention = new RegExp(`\\b(${Object.keys(preloadedNames).join("|")})\\b`);

/** Whether code may use one of these names, and the types of packages with it. */
export function mentionsPreload(code: string): boolean {
  return mention.test(code);
}
