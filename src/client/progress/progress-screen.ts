/** Something that takes a while, as a screen shows it. Nothing in it comes from data. */
export interface ProgressState {
  /** What it is: `propertyChanges`, `pull`. */
  readonly title: string;
  /** How much of it is done, from 0 to 1; undefined where that cannot be told. */
  readonly share: number | undefined;
  /** How far it is, in words. */
  readonly text: string;
}

/** The place where it shows how far it is. */
export interface ProgressLine {
  show(state: ProgressState): void;
  /** Shows the last state, or nothing more, when it is over. */
  end(state: ProgressState): void;
}

/** Opens a place. */
export type ProgressScreen = () => ProgressLine;
