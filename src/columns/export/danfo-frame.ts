/** The part of a Danfo frame that Siteframe promises, whichever of Danfo's packages made it. */
export interface DanfoFrame {
  readonly columns: string[];
  readonly dtypes: string[];
  readonly shape: number[];
  readonly values: unknown[][];
  print(rows?: number): void;
  // Danfo's own types name packages that are optional here.
  readonly [member: string]: unknown;
}

/** The part of Danfo that makes frames. */
export interface Danfo {
  readonly DataFrame: new (
    rows: unknown[][],
    options: { readonly columns: string[]; readonly dtypes: string[] },
  ) => DanfoFrame;
}
