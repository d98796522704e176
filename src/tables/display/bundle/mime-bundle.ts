/** One value in several formats, keyed by MIME type, as Jupyter's `display_data` carries it. */
export type MimeBundle = Readonly<Record<string, unknown>>;
