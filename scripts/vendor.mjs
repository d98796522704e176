// Copies the two cuts of Inter that are drawn into dist/vendor, with their licence. The package has eighteen cuts.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);

const from = dirname(require.resolve("@expo-google-fonts/inter/package.json"));
for (const file of ["LICENSE_FONT", "400Regular/Inter_400Regular.ttf", "700Bold/Inter_700Bold.ttf"]) {
  copy(join(from, file), join("dist", "vendor", "inter", file));
}

/** What is there already stays untouched: a kernel may be reading it. */
function copy(from, to) {
  const content = readFileSync(from);
  if (existsSync(to) && content.equals(readFileSync(to))) return;
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, content);
}
