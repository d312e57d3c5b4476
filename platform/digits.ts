// Converts digits of other scripts, as local keyboards type them. Shared by browser and server.

/** Converts digits of other scripts: ۱۲ and ١٢ become 12. */
export function toLatinDigits(text: string): string {
  return text.replace(/[۰-۹٠-٩]/g, (digit) => String((digit.charCodeAt(0) - 0x0660) % 0x90));
}
