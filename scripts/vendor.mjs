// Copies the files of development packages that the built package needs into dist/vendor, with their licences. As
// dependencies these packages would bring programs called tsc and tsserver, and seven times the size. The compiler is
// minified, since half of what is loaded is its comments and names; all else stays as it is.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { minifySync } from "rolldown/utils";

const require = createRequire(import.meta.url);

const packages = [
  {
    folder: "typescript",
    from: require.resolve("typescript/package.json"),
    files: ["LICENSE.txt", "ThirdPartyNoticeText.txt", "package.json", "lib/typescript.js"],
  },
  {
    folder: "inter",
    from: require.resolve("@expo-google-fonts/inter/package.json"),
    files: ["LICENSE_FONT", "400Regular/Inter_400Regular.ttf", "700Bold/Inter_700Bold.ttf"],
  },
];

for (const { folder, from, files } of packages) {
  for (const file of files) copy(join(dirname(from), file), join("dist", "vendor", folder, file));
}

/** What is there already stays untouched: a kernel may be reading it. */
function copy(from, to) {
  const content = to.endsWith("typescript.js") ? minified(from) : readFileSync(from);
  if (existsSync(to) && content.equals(readFileSync(to))) return;
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, content);
}

function minified(path) {
  const { code, errors } = minifySync(path, readFileSync(path, "utf8"), { module: false });
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
  return Buffer.from(code);
}
