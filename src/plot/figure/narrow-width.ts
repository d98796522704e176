/** Pixels of a figure that is drawn for a page as narrow as a phone's. */
export const narrowWidth = 360;
