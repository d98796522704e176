import type { Diagnostic } from "../../src/core/diagnostic.js";

/** The diagnostics that a call passes to `onDiagnostic`. */
export async function reportedDiagnostics(
  call: (onDiagnostic: (diagnostic: Diagnostic) => void) => Promise<unknown>,
): Promise<readonly Diagnostic[]> {
  const diagnostics: Diagnostic[] = [];
  await call((diagnostic) => diagnostics.push(diagnostic));
  return diagnostics;
}
