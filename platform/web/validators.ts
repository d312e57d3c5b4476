// Validation of email addresses, web addresses and phone numbers in the browser; the server
// validates again.

const LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}\u200c-]{0,61}[\p{L}\p{M}\p{N}])?$/u;
const LOCAL_PART = /^[^\s@<>()[\]\\,;:"]{1,64}$/u;

export function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, at);
  const domain = text.slice(at + 1);
  if (at < 1 || text.length > 254 || !LOCAL_PART.test(local)) return false;
  if (local.startsWith('.') || local.endsWith('.') || local.includes('..')) return false;
  const labels = domain.split('.');
  const last = labels.at(-1) ?? '';
  return (
    labels.length > 1 &&
    labels.every((part) => LABEL.test(part)) &&
    !/^\d*$/.test(last) &&
    last.length > 1
  );
}

export function isHttpUrl(text: string): boolean {
  try {
    const url = new URL(text);
    return (
      /^https?:$/.test(url.protocol) && /^https?:\/\/\S+$/i.test(text) && url.hostname.includes('.')
    );
  } catch {
    return false;
  }
}

/** Adds the scheme to a URL without one; `example.com:8080` is a host with a port. */
export function withScheme(input: string): string {
  const text = input.trim().replace(/^\/{2}(?!\/)/, '');
  return text === '' || /^[a-z][a-z\d+.-]*:(?!\d)/i.test(text) ? text : `https://${text}`;
}

export type PhoneFieldFault = 'phoneFormat' | 'phoneCountry' | 'phoneShort' | 'phoneLong';

const faults: Record<string, PhoneFieldFault> = {
  NOT_A_NUMBER: 'phoneFormat',
  INVALID_LENGTH: 'phoneFormat',
  INVALID_COUNTRY: 'phoneCountry',
  TOO_SHORT: 'phoneShort',
  TOO_LONG: 'phoneLong',
};

/** Returns the error of a phone number; the rules are loaded when the first number is typed. */
export async function findPhoneFault(
  text: string,
  country?: string,
): Promise<PhoneFieldFault | undefined> {
  const { isSupportedCountry, isValidPhoneNumber, validatePhoneNumberLength } = await import(
    'libphonenumber-js/min'
  );
  const home = country && isSupportedCountry(country) ? country : undefined;
  const reason = validatePhoneNumberLength(text, home);
  if (reason) return faults[reason] ?? 'phoneFormat';
  return isValidPhoneNumber(text, home) ? undefined : 'phoneFormat';
}
