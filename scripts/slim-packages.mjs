// Removes files from the packages that ours bundles which neither Node nor a bundler loads: source maps, builds for script
// tags, and development files. The published package is a quarter smaller without them.
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const unused = [
  { packages: /^(d3(-[a-z-]+)?|@observablehq\/plot|internmap)$/, files: /^dist\/[^/]+(\.js|\.min\.mjs)$/ },
  { packages: /^arquero$/, files: /^(dist\/arquero\.js|dist\/.+\.map|dev|perf)$/ },
  { packages: /^@uwdata\/flechette$/, files: /^(dist\/.+\.min\.js(\.map)?|docs)$/ },
  { packages: /^marked$/, files: /^(lib\/.+\.(umd\.js|map)|man)$/ },
  { packages: /^robust-predicates$/, files: /^umd$/ },
  { packages: /^delaunator$/, files: /^delaunator(\.min)?\.js$/ },
];

const root = join(import.meta.dirname, "..", "node_modules");

for (const name of readdirSync(root).flatMap((each) => (each.startsWith("@") ? scoped(each) : [each]))) {
  const files = unused.find(({ packages }) => packages.test(name))?.files;
  if (!files) continue;
  for (const file of readdirSync(join(root, name), { recursive: true, encoding: "utf8" })) {
    if (files.test(file.replaceAll("\\", "/"))) rmSync(join(root, name, file), { recursive: true, force: true });
  }
}

function scoped(scope) {
  return readdirSync(join(root, scope)).map((name) => `${scope}/${name}`);
}
