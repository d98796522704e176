// Puts the declarations of JavaScript's own library, which for the compiler of cells are sixty files that add to each
// other's interfaces, into one, in dist/vendor: it puts them together anew for each cell that it looks at, which was half
// of the time that a short cell took it. They are laid out as packages that stand for the compiler's own files (its option
// `libReplacement`): one has everything, and those that are in it nothing. Where there is no such compiler to take them
// from, there are none, and it takes its own.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

const compiler = join("node_modules", "@typescript", `typescript-${process.platform}-${process.arch}`);
const from = join(compiler, "lib");
const vendored = join("dist", "vendor", "typescript");
const to = join(vendored, "libraries", "@typescript");
/** What cells have on every Node: `always` of `languageLibraries`. */
const [whole, ...others] = ["es2023", "esnext.disposable", "esnext.decorators", "esnext.intl"];
const reference = /^\/\/\/ <reference lib="([^"]+)".*\n/gm;

/** The texts of libraries by their names, with all that they refer to. */
function read(names, found = new Map()) {
  for (const name of names) {
    if (found.has(name)) continue;
    const text = readFileSync(join(from, `lib.${name}.d.ts`), "utf8");
    found.set(name, text.replace(reference, ""));
    read(
      [...text.matchAll(reference)].map(([, other]) => other),
      found,
    );
  }
  return found;
}

/** What is there already stays untouched: a kernel may be reading it. */
function write(folder, text, name = "index.d.ts") {
  const path = join(folder, name);
  if (existsSync(path) && readFileSync(path, "utf8") === text) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, text);
}

const texts = existsSync(from) ? read([whole, ...others]) : new Map();
// Of overloads those count first that are declared last, so the order is the compiler's.
const names = [...texts.keys()].sort((a, b) => ts.libs.indexOf(a) - ts.libs.indexOf(b));
for (const name of names) {
  // `es2015.core` is `@typescript/lib-es2015/core` there.
  const folder = join(to, ...`lib-${name}`.split("."));
  write(folder, name === whole ? names.map((each) => texts.get(each)).join("\n") : "");
}
for (const file of existsSync(from) ? ["LICENSE", "NOTICE.txt"] : []) {
  write(vendored, readFileSync(join(compiler, file), "utf8"), file);
}
