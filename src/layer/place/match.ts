/** Rows of two layers that belong together. */
export interface Match {
  readonly left: number;
  readonly right: number;
  /** Distance of the centres; 0 where one lies in the other. */
  readonly meters: number;
}
