// Checks whether a URL in an email is reachable for its recipients.

/** URLs of the author's computer, or of a part of the email itself. */
const ELSEWHERE =
  /^(?:file|blob|cid|about|app|chrome-extension|moz-extension|x-apple-data-detectors):/i;
const NESTED = /^https?:\/*(?:https?|mailto|tel|sms|ftp|file):/i;
const WITHOUT_HOST = /^https?:(?!\/\/[^/?#\s])/i;
const LOOPBACK = /^(?:localhost|.*\.localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\])$/i;

export const parseScheme = (address: string) =>
  /^([a-z][a-z0-9+.-]*):/i.exec(address)?.[1]?.toLowerCase();

/** @param address masked: each merge tag is a placeholder */
export function isUnreachable(address: string): boolean {
  if (ELSEWHERE.test(address)) return true;
  if (!/^https?:/i.test(address)) return false;
  if (NESTED.test(address) || WITHOUT_HOST.test(address)) return true;
  const url = URL.parse(address.replace(/\ufdd0\d+\ufdd1/g, 'x'));
  return url === null || LOOPBACK.test(url.hostname);
}
