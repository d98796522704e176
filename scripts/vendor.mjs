// Copies the files of development packages that the built package needs into dist/vendor, unchanged, with their
// licences. As dependencies these packages would bring programs called tsc and tsserver, and four times the size.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);

const packages = [
  {
    folder: "typescript",
    from: require.resolve("@tslab/typescript-for-tslab/package.json"),
    files: ["LICENSE.txt", "ThirdPartyNoticeText.txt", "package.json", "lib/typescript.js", /^lib\/lib\..*\.d\.ts$/],
  },
  {
    folder: "tslab",
    from: require.resolve("tslab/package.json"),
    files: ["LICENSE", "package.json", "dist/converter.js", "dist/tspath.js", "dist/util.js"],
  },
  {
    folder: "inter",
    from: require.resolve("@expo-google-fonts/inter/package.json"),
    files: ["LICENSE_FONT", "400Regular/Inter_400Regular.ttf", "700Bold/Inter_700Bold.ttf"],
  },
];

for (const { folder, from, files } of packages) {
  const names = readdirSync(dirname(from), { recursive: true, encoding: "utf8" }).map((path) =>
    path.replaceAll("\\", "/"),
  );
  for (const file of files) {
    const found = names.filter((path) => (typeof file === "string" ? path === file : file.test(path)));
    if (found.length === 0) throw new Error(`${dirname(from)} has no ${file}`);
    for (const path of found) copy(join(dirname(from), path), join("dist", "vendor", folder, path));
  }
}

/** What is there already stays untouched: a kernel may be reading it. */
function copy(from, to) {
  if (existsSync(to) && readFileSync(from).equals(readFileSync(to))) return;
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}
