// Puts what the kernel loads before it answers into one file for each step of its start: reading forty small ones takes
// longer than all that they do. The files are CommonJS, which Node reads sooner than modules, above all in a worker. What
// is bundled lives in its thread alone, so no state is there twice; what it loads later is a file beside it.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { rolldown } from "rolldown";

const programs = [
  { program: "kernel/start-sockets", apart: /^$/ },
  // The thread of the cells shares modules with what cells import.
  { program: "kernel/start-kernel", apart: /\/(cell-thread|connect-compiler)\.js$/ },
  { program: "kernel/protocol/protocol-main", apart: /^$/ },
];
/** Packages without a state and without a program for each platform. */
const bundled = /^(import-meta-resolve|js-tokens|magic-string|@jridgewell\/sourcemap-codec)$/;

for (const { program, apart } of programs) {
  const bundle = await rolldown({
    input: `src/${program}.ts`,
    platform: "node",
    resolve: { extensionAlias: { ".js": [".ts"] } },
    external: (id) => (!/^(src|[./\0])/.test(id) && !bundled.test(id)) || apart.test(id),
    preserveEntrySignatures: "allow-extension",
  });
  const { output } = await bundle.generate({
    format: "cjs",
    entryFileNames: `${basename(program)}.cjs`,
    chunkFileNames: "[name].cjs",
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  });
  await bundle.close();
  for (const { fileName, code } of output) {
    const path = join("dist", dirname(program), fileName);
    if (written(path) !== code) writeFileSync(path, code);
  }
  // Nothing loads the module that the compiler wrote.
  rmSync(`dist/${program}.js`, { force: true });
}

function written(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
