import { createHmac } from "node:crypto";

/** Replaces one value of a person's field; null stays null, numbers stay integers, texts stay texts. */
export type Pseudonym = (value: unknown) => unknown;

/**
 * Makes pseudonyms that are the same in every run with the same secret, so that redacted scripts are reproducible,
 * and that nobody can undo without it: user ids are few, and a plain hash of them is undone by trying all.
 *
 * Texts become `person-` and 10 hex digits, numbers a positive integer of 48 bits.
 *
 * @param secret for a live source it follows from the API key, which can read the names anyway
 */
export function pseudonymizer(secret: string): Pseudonym {
  const known = new Map<string, string | number>();
  return (value) => {
    if (value === null || value === undefined) return value;
    const text = `${typeof value} ${JSON.stringify(value)}`;
    const earlier = known.get(text);
    if (earlier !== undefined) return earlier;
    const digest = createHmac("sha256", secret).update(text).digest();
    const made = typeof value === "number" ? digest.readUIntBE(0, 6) : `person-${digest.toString("hex", 0, 5)}`;
    known.set(text, made);
    return made;
  };
}
