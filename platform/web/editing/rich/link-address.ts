// Derives the address of a link from user input.
import { isEmail } from '#platform/web/validators.ts';
import { isAddress } from '#platform/rich-text.ts';

export const WEB = 'https://';

export function toLinkAddress(input: string): string {
  const address = input.trim();
  if (isAddress(address)) return address;
  return isEmail(address) ? `mailto:${address}` : `${WEB}${address}`;
}
