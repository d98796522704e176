/** A body was given up because it is larger, as it came or unpacked, than the read allows. */
export class BodyTooLarge extends Error {}
