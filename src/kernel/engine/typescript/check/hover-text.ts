/** A signature in a block of code, followed by its documentation. */
const hoverText = /^```\w*\n([\s\S]*?)\n```\n?([\s\S]*)$/;

/** The language server's hover text for a name, in two parts; undefined if it has none. */
export function splitHover(hover: unknown): { readonly signature: string; readonly documentation: string } | undefined {
  const { contents } = (hover ?? {}) as { readonly contents?: { readonly value: string } };
  const [, signature, documentation = ""] = hoverText.exec(contents?.value ?? "") ?? [];
  if (signature === undefined) return undefined;
  // Only the compiler treats names of earlier cells as imports.
  return {
    signature: signature.replace(/^\(alias\) /, "").replace(/\nimport .*$/, ""),
    documentation: documentation.trim(),
  };
}
