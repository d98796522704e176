const HYPHEN = 45;

/** 1 for the code of a hex digit: looking up is faster than a regular expression. */
const HEX = Uint8Array.from({ length: 128 }, (_, code) => Number(/[0-9a-f]/i.test(String.fromCharCode(code))));

/** Whether a string is a UUID in its usual form of 36 characters, in either case. */
export function isUuid(text: string): boolean {
  if (text.length !== 36 || !isHyphen(text, 8) || !isHyphen(text, 13)) return false;
  if (!isHyphen(text, 18) || !isHyphen(text, 23)) return false;
  let digits = 0;
  for (let index = 0; index < 36; index += 1) digits += HEX[text.charCodeAt(index)] as number;
  return digits === 32;
}

function isHyphen(text: string, index: number): boolean {
  return text.charCodeAt(index) === HYPHEN;
}
