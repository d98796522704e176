/** What `read` gives, or `otherwise` where it throws, as the getters and proxies of strangers may. */
export function readSafely<Value, Other>(read: () => Value, otherwise: Other): Value | Other {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
