// Puts what the kernel loads before it answers into one file for each step of its start: reading forty small ones takes
// longer than all that they do. The files are CommonJS, which Node reads sooner than modules, above all in a worker. What
// is bundled lives in its thread alone, so no state is there twice.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { rolldown } from "rolldown";

const programs = [
  { program: "kernel/start-sockets", apart: /^$/ },
  // The thread of the cells shares modules with what cells import.
  { program: "kernel/start-kernel", apart: /\/(cell-thread|connect-compiler)\.js$/ },
  { program: "kernel/protocol/protocol-main", apart: /^$/ },
];

for (const { program, apart } of programs) {
  const path = `dist/${program}.cjs`;
  const bundle = await rolldown({
    input: `src/${program}.ts`,
    platform: "node",
    resolve: { extensionAlias: { ".js": [".ts"] } },
    external: (id) => !/^(src|[./]|js-tokens$)/.test(id) || apart.test(id),
  });
  const { output } = await bundle.generate({
    format: "cjs",
    codeSplitting: false,
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  });
  await bundle.close();
  const [{ code }, ...others] = output;
  if (others.length > 0) throw new Error(`${path}: more than one file`);
  if (written(path) !== code) writeFileSync(path, code);
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
