// Email addresses as calls accept them. Domains of any script are converted to Punycode (RFC 5891).
// Local parts in other scripts are accepted for recipients only: a relay without SMTPUTF8 (RFC
// 6531) refuses one copy because of such a recipient, but all copies because of such a sender.
import { z } from 'zod';

/** An email address as mail servers accept it: the domain in Punycode. */
export function toWireEmail(input: string): string {
  const text = input.trim();
  const at = text.lastIndexOf('@');
  const domain = text.slice(at + 1);
  if (at < 1 || !/[^\0-\x7F]/.test(domain) || !/^[\p{L}\p{M}\p{N}\u200c.-]+$/u.test(domain))
    return text;
  const host = URL.parse(`http://${domain}`)?.hostname;
  return host ? `${text.slice(0, at)}@${host}` : text;
}

/** Address of a sender or reply-to. */
export const senderAddress = (max: number) =>
  z.string().trim().max(max).transform(toWireEmail).pipe(z.email());

const RECIPIENT =
  /^(?!\.)(?!.*\.\.)[^\s@<>()[\]\\,;:"\p{C}]{1,64}(?<!\.)@(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*$/iu;

/** Address of a recipient. */
export const recipientAddress = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    .transform((input) => toWireEmail(input).normalize('NFC'))
    .pipe(z.email({ pattern: RECIPIENT }));
