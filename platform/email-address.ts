// Email addresses as the calls take them: domains in any script become what DNS has (RFC 5891); names before
// the @ in other scripts are recipients' alone, for the relay of a sender may not know them (RFC 6531).
import { z } from 'zod';

/** An email address as mail servers take it: the domain's own letters as punycode. */
export function wireEmail(typed: string): string {
  const text = typed.trim();
  const at = text.lastIndexOf('@');
  const domain = text.slice(at + 1);
  if (at < 1 || !/[^\0-\x7F]/.test(domain) || !/^[\p{L}\p{M}\p{N}\u200c.-]+$/u.test(domain))
    return text;
  const host = URL.parse(`http://${domain}`)?.hostname;
  return host ? `${text.slice(0, at)}@${host}` : text;
}

/** Of whoever sends or is answered. */
export const senderAddress = (most: number) =>
  z.string().trim().max(most).transform(wireEmail).pipe(z.email());

const RECIPIENT =
  /^(?!\.)(?!.*\.\.)[^\s@<>()[\]\\,;:"\p{C}]{1,64}(?<!\.)@(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*$/iu;

/** Of whoever is written to. */
export const recipientAddress = (most: number) =>
  z
    .string()
    .trim()
    .max(most)
    .transform((typed) => wireEmail(typed).normalize('NFC'))
    .pipe(z.email({ pattern: RECIPIENT }));
