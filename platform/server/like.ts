// Texts inside LIKE patterns: what people type means itself, whatever signs are in it.

/** `%`, `_` and `\` as they are. */
export const literal = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

/** The pattern of all that holds the text. */
export const containing = (text: string): string => `%${literal(text)}%`;
