/** Bytes as a text of SQL, as DuckDB shows a BLOB: `ab\x00\xFF`. */
export function bytesText(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => {
    const sign = String.fromCharCode(byte);
    return /[ -~]/.test(sign) && !/['"\\]/.test(sign) ? sign : `\\x${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");
}
