import { statSync } from "node:fs";
import { basename, join, parse } from "node:path";
import { ArgumentError } from "../../core/errors.js";
import { readSafely } from "../../core/show-value.js";

/** Where an executed notebook, or its page, is to be written. */
export interface RunTargets {
  readonly out?: string;
  readonly html?: string;
  readonly pdf?: string;
}

/**
 * The files for each notebook. What is given is a folder if there are several notebooks, or if it is one already; `{date}` in
 * it is today.
 *
 * @throws ArgumentError if two notebooks of the same name would be written to the same file
 */
export function runTargets(paths: readonly string[], { out, html, pdf }: RunTargets): readonly RunTargets[] {
  const name = (path: string) => parse(path).name;
  const twice = paths.find((path, index) => paths.findIndex((other) => name(other) === name(path)) !== index);
  if (twice !== undefined && [out, html, pdf].some((chosen) => chosen !== undefined)) {
    throw new ArgumentError(`Two notebooks are called ${basename(twice)}: one would be written over the other.`, {
      hint: "Run them one by one, each with a file of its own.",
    });
  }
  const target = (given: string, path: string, extension: string) => {
    const chosen = given.replaceAll("{date}", today());
    return paths.length > 1 || isFolder(chosen) ? join(chosen, `${name(path)}${extension}`) : chosen;
  };
  return paths.map((path) => ({
    ...(out === undefined ? {} : { out: target(out, path, ".ipynb") }),
    ...(html === undefined ? {} : { html: target(html, path, ".html") }),
    ...(pdf === undefined ? {} : { pdf: target(pdf, path, ".pdf") }),
  }));
}

/** The date on this machine. */
export function today(): string {
  const now = new Date();
  const digits = (number: number) => String(number).padStart(2, "0");
  return `${now.getFullYear()}-${digits(now.getMonth() + 1)}-${digits(now.getDate())}`;
}

export function isFolder(path: string): boolean {
  // A path below a file is an error of the system, not a missing entry.
  return readSafely(() => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false, false);
}

/** The order in which the example notebooks are read: first steps, questions, looking back, other tools, one's own data. */
const order = [
  "quickstart",
  "punch-list",
  "construction-progress",
  "anomalies-across-captures",
  "what-did-we-know",
  "audit",
  "offline",
  "danfo",
  "your-own-site",
];

/** Names of notebook files in the order of the guide; others come last, by name. */
export function orderNotebooks(names: readonly string[]): readonly string[] {
  const place = (name: string) => {
    const found = order.indexOf(basename(name, ".ipynb"));
    return found < 0 ? order.length : found;
  };
  return [...names].sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1));
}
