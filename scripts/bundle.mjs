// Puts what the kernel loads before it answers into one file for each thread: reading forty small ones takes longer than
// all that they do. What is bundled lives in its thread alone, so no class or state is there twice.
import { readFileSync, writeFileSync } from "node:fs";
import { rolldown } from "rolldown";

const programs = [
  // The thread of the cells shares modules with what cells import.
  { program: "kernel/start-kernel", apart: /\/(cell-thread|connect-compiler)\.js$/ },
  { program: "kernel/protocol/protocol-main", apart: /^$/ },
];

for (const { program, apart } of programs) {
  const path = `dist/${program}.js`;
  const bundle = await rolldown({
    input: `src/${program}.ts`,
    platform: "node",
    resolve: { extensionAlias: { ".js": [".ts"] } },
    external: (id) => !/^(src|[./])/.test(id) || apart.test(id),
  });
  const { output } = await bundle.generate({
    format: "esm",
    codeSplitting: false,
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  });
  await bundle.close();
  const [{ code }, ...others] = output;
  if (others.length > 0) throw new Error(`${path}: more than one file`);
  if (readFileSync(path, "utf8") !== code) writeFileSync(path, code);
}
