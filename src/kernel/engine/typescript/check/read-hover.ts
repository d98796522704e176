import type { Inspection } from "../../cell/language-engine.js";

/** A signature in a block of code, and then what is said about it. */
const hover = /^```\w*\n([\s\S]*?)\n```\n?([\s\S]*)$/;

/** What the language server shows over a name. */
export function readHover(shown: unknown): Inspection | undefined {
  const { contents } = (shown ?? {}) as { readonly contents?: { readonly value: string } };
  const [, signature, documentation = ""] = hover.exec(contents?.value ?? "") ?? [];
  if (signature === undefined) return undefined;
  // Names of earlier cells are imports to the compiler, and to nobody else.
  return {
    signature: signature.replace(/^\(alias\) /, "").replace(/\nimport .*$/, ""),
    documentation: documentation.trim(),
  };
}

/** The signature of the function whose arguments are being written. */
export function readSignature(shown: unknown): Inspection | undefined {
  const { signatures = [], activeSignature = 0 } = (shown ?? {}) as {
    readonly signatures?: readonly {
      readonly label: string;
      readonly documentation?: string | { readonly value: string };
    }[];
    readonly activeSignature?: number;
  };
  const signature = signatures[activeSignature] ?? signatures[0];
  if (!signature) return undefined;
  const { label, documentation = "" } = signature;
  return { signature: label, documentation: typeof documentation === "string" ? documentation : documentation.value };
}
