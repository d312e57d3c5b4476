// Bounds of emails that are parsed: deeper nesting and longer headers are refused before they are read.
export const MIME_LIMITS = { maxNestingDepth: 20, maxHeadersSize: 128 * 1024 } as const;
