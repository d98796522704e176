import { statSync } from "node:fs";
import { basename, join, parse } from "node:path";
import { ArgumentError } from "../../core/errors.js";
import { readSafely } from "../../core/show-value.js";

/** Files for an executed notebook and its pages. */
export interface RunTargets {
  readonly out?: string;
  readonly html?: string;
  readonly pdf?: string;
}

/**
 * Returns the files for each notebook. A given path is a folder if there are several notebooks or if the folder exists;
 * `{date}` in it is replaced by the current date.
 *
 * @throws ArgumentError if two notebooks with the same name would be written to the same file
 */
export function runTargets(paths: readonly string[], { out, html, pdf }: RunTargets): readonly RunTargets[] {
  const name = (path: string) => parse(path).name;
  const twice = paths.find((path, index) => paths.findIndex((other) => name(other) === name(path)) !== index);
  if (twice !== undefined && [out, html, pdf].some((chosen) => chosen !== undefined)) {
    throw new ArgumentError(`siteframe run: two notebooks are called ${basename(twice)}.`, {
      hint: "Run them separately, each with its own output file.",
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

/** The current date on this machine. */
export function today(): string {
  const now = new Date();
  const digits = (number: number) => String(number).padStart(2, "0");
  return `${now.getFullYear()}-${digits(now.getMonth() + 1)}-${digits(now.getDate())}`;
}

export function isFolder(path: string): boolean {
  // A path below a file causes a system error instead of a missing entry.
  return readSafely(() => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false, false);
}

/** Reading order of the example notebooks: introduction, questions, past dates, other tools, your own data. */
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

/** Notebook files in the order of the guide; others follow by name. */
export function orderNotebooks(names: readonly string[]): readonly string[] {
  const rank = (name: string) => {
    const index = order.indexOf(basename(name, ".ipynb"));
    return index < 0 ? order.length : index;
  };
  return [...names].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}
