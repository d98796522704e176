/** A signature in a block of code, and then what is said about it. */
const hoverText = /^```\w*\n([\s\S]*?)\n```\n?([\s\S]*)$/;

/** What the language server shows over a name, in two parts; undefined if it shows nothing. */
export function splitHover(shown: unknown): { readonly signature: string; readonly documentation: string } | undefined {
  const { contents } = (shown ?? {}) as { readonly contents?: { readonly value: string } };
  const [, signature, documentation = ""] = hoverText.exec(contents?.value ?? "") ?? [];
  if (signature === undefined) return undefined;
  // Names of earlier cells are imports to the compiler, and to nobody else.
  return {
    signature: signature.replace(/^\(alias\) /, "").replace(/\nimport .*$/, ""),
    documentation: documentation.trim(),
  };
}
