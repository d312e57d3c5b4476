// Escapes user input for LIKE patterns, so that it matches literally.

/** Escapes `%`, `_` and `\`. */
export const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

/** The pattern for values that contain the text. */
export const toContainsPattern = (text: string): string => `%${escapeLike(text)}%`;
