/** Whether a path is an address: `https://…`, `s3://…`. One letter before the colon is a drive. */
export function isAddress(path: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(path);
}
