// Joins the declarations of JavaScript's standard library into one file in dist/vendor. In the compiler of cells they
// are sixty files that extend each other's interfaces and that it combines for each cell, which took half of the time
// of a short cell. They are packages that replace the compiler's own files (its option `libReplacement`): one contains
// everything, and the packages included in it are empty. Without a native compiler, no packages are written, and the
// compiler uses its own files.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

const compiler = join("node_modules", "@typescript", `typescript-${process.platform}-${process.arch}`);
const from = join(compiler, "lib");
const vendored = join("dist", "vendor", "typescript");
const to = join(vendored, "libraries", "@typescript");
/** Libraries of cells on every Node: `always` of `languageLibraries`. */
const [whole, ...others] = ["es2023", "esnext.disposable", "esnext.decorators", "esnext.intl"];
const reference = /^\/\/\/ <reference lib="([^"]+)".*\n/gm;

/** Library sources by name, with all libraries that they reference. */
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

/** Existing files stay untouched: a kernel may be reading them. */
function write(folder, text, name = "index.d.ts") {
  const path = join(folder, name);
  if (existsSync(path) && readFileSync(path, "utf8") === text) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, text);
}

const texts = existsSync(from) ? read([whole, ...others]) : new Map();
// The overloads declared last have precedence, so the order is the compiler's.
const names = [...texts.keys()].sort((a, b) => ts.libs.indexOf(a) - ts.libs.indexOf(b));
for (const name of names) {
  // `es2015.core` is `@typescript/lib-es2015/core` there.
  const folder = join(to, ...`lib-${name}`.split("."));
  write(folder, name === whole ? names.map((each) => texts.get(each)).join("\n") : "");
}
for (const file of existsSync(from) ? ["LICENSE", "NOTICE.txt"] : []) {
  write(vendored, readFileSync(join(compiler, file), "utf8"), file);
}
