import { type EcmaScriptModule, parseSync } from "oxc-parser";

/** The modules that code names, as far as it names them by constants. */
export function moduleSpecifiers(code: string, fileName: string): readonly string[] {
  return specifiersIn(parseSync(fileName, code, { sourceType: "module", astType: "ts" }).module, code);
}

function specifiersIn(
  { staticImports, staticExports, dynamicImports }: EcmaScriptModule,
  code: string,
): readonly string[] {
  const dynamic = dynamicImports.map(({ moduleRequest: { start, end } }) => code.slice(start, end));
  return [
    ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) => entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? [])),
    ...dynamic.flatMap((text) => /^(["'`])([^\\$]*)\1$/.exec(text)?.[2] ?? []),
  ];
}
