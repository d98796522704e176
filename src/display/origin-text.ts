/** Where a value's records come from and how old they are, for captions: `acme.snapshot, generation 3, read 2026-…Z`. */
export function originText(origin: { readonly name: string; readonly generation?: number }, readAt: Date): string {
  const generation = origin.generation === undefined ? "" : `, generation ${origin.generation}`;
  return `${origin.name}${generation}, read ${readAt.toISOString()}`;
}
