const called = /\(0 , __siteframe_(?:names|of_[\p{ID_Continue}$]+)\.([\p{ID_Continue}$]+)\)/gu;
const read = /\b__siteframe_(?:names|of_[\p{ID_Continue}$]+)\.([\p{ID_Continue}$]+)/gu;

/** A message of V8's, with names as the user wrote them: `f is not a function`. Scripts read them from objects. */
export function withUserNames(message: string): string {
  return message.replace(called, "$1").replace(read, "$1");
}
