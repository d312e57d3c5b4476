// Escapes user input for LIKE patterns, so that it matches literally.

/** Escapes `%`, `_` and `\`. */
export const literal = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

/** The pattern for values that contain the text. */
export const containing = (text: string): string => `%${literal(text)}%`;
