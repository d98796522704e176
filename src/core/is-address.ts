/** Whether a path is a URL: `https://…`, `s3://…`. A single letter before the colon is a drive. */
export function isAddress(path: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(path);
}
