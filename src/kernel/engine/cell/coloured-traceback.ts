import type { CellError } from "./language-engine.js";

const bold = "1";
/** As Python has it. Bold, JupyterLab would make it a red that its dark theme hides. */
const red = "31";
const cyan = "36";
/** JupyterLab, which does not know it, shows the text as all other, and so readable on each of its grounds. */
const dim = "2";

const labels = new Set(["Caused by:", "One of its errors:"]);
const frame = /^ {4}(at |… \d+ more$)/;
const excerptLine = /^([ >] +\d+ \|)(.*)$/s;
const caretLine = /^( +\| *)\^$/;

/** A traceback as terminals and notebooks show it: names in red, frames dim, and the line that failed bold. */
export function colouredTraceback({ ename, traceback }: Pick<CellError, "ename" | "traceback">): readonly string[] {
  return traceback.map((line, index) => {
    if (index === 0 || labels.has(traceback[index - 1] as string)) return heading(line, ename);
    if (frame.test(line)) return coloured(dim, line);
    const [, gutter, code] = excerptLine.exec(line) ?? [];
    if (gutter !== undefined && code !== undefined) {
      return gutter.startsWith(">")
        ? `${coloured(red, gutter)}${coloured(bold, code)}`
        : `${coloured(dim, gutter)}${code}`;
    }
    const [, before] = caretLine.exec(line) ?? [];
    if (before !== undefined) return `${coloured(dim, before)}${coloured(red, "^")}`;
    if (excerptLine.test(traceback[index + 1] ?? "")) return heading(line, ename);
    return line;
  });
}

/** The name of an error; or a place in a cell, and the compiler's number of what is wrong there. */
function heading(line: string, ename: string): string {
  if (line.startsWith(`${ename}:`)) return `${coloured(red, ename)}${line.slice(ename.length)}`;
  const [found = "", place, problem] = /^([^:\n]+:(?:\d+:\d+)?)(?: - (TS\d+)|(?= - )|$)/.exec(line) ?? [];
  if (place !== undefined) {
    const told = problem === undefined ? "" : ` - ${coloured(red, problem)}`;
    return `${coloured(cyan, place)}${told}${line.slice(found.length)}`;
  }
  return line.replace(/^[\p{L}\p{N}_$.]+(?=: )/u, (name) => coloured(red, name));
}

function coloured(codes: string, text: string): string {
  return text === "" ? "" : `\u001b[${codes}m${text}\u001b[0m`;
}
