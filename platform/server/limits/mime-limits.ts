// Limits for parsed emails: deeper nesting and longer headers are refused before parsing.
export const MIME_LIMITS = { maxNestingDepth: 20, maxHeadersSize: 128 * 1024 } as const;
