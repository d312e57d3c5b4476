// Limits for parsed emails: the parser refuses deeper nesting and longer headers.
export const MIME_LIMITS = { maxNestingDepth: 20, maxHeadersSize: 128 * 1024 } as const;
