// Replaces merge tags in a source by placeholders: characters without meaning in HTML and URLs, so
// that quotes and brackets inside a tag cannot confuse a parser.
import {
  parseTemplate,
  type TagError,
  type TagPart,
  type MergeValues,
} from '../personalization/merge-tags.ts';
import type { FilterMoment } from '../personalization/filters.ts';

/** Unicode noncharacters; `maskTags` replaces any that the source itself contains. */
const OPEN_MARK = '\ufdd0';
const CLOSE = '\ufdd1';
const PLACEHOLDER = /\ufdd0(\d+)\ufdd1/g;
/** Pattern of a placeholder, for use in other patterns. */
export const PLACEHOLDER_PATTERN = '\\ufdd0\\d+\\ufdd1';

export type MaskedSource = { text: string; tags: TagPart[]; errors: TagError[] };

export function maskTags(source: string, inHtml: boolean): MaskedSource {
  const clean = source.replace(/[\ufdd0\ufdd1\0]/g, '\ufffd');
  const template = parseTemplate(clean, inHtml);
  const tags: TagPart[] = [];
  const text = template.parts
    .map((part) => (typeof part === 'string' ? part : createPlaceholder(tags.push(part) - 1)))
    .join('');
  return { text, tags, errors: template.errors };
}

export function createPlaceholder(index: number): string {
  return OPEN_MARK + index + CLOSE;
}

/** Splits masked text at its placeholders into literal text and, in between, tag indexes. */
export function splitMasked(text: string): (string | number)[] {
  if (!text.includes(OPEN_MARK)) return [text];
  return text.split(PLACEHOLDER).map((part, i) => (i % 2 === 0 ? part : Number(part)));
}

/** Puts the merge tags back into masked text. */
export function unmask(text: string, tags: readonly TagPart[]): string {
  if (!text.includes(OPEN_MARK)) return text;
  return text.replace(PLACEHOLDER, (_, index) => tags[Number(index)]?.source ?? '');
}

/** Puts the merge tags, each decoded, back into a masked URL. */
export function unmaskDecoded(
  text: string,
  tags: readonly TagPart[],
  decode: (text: string) => string,
) {
  if (!text.includes(OPEN_MARK)) return text;
  return text.replace(PLACEHOLDER, (_, index) => decode(tags[Number(index)]?.source ?? ''));
}

const OWN_LINKS = new Set(['unsubscribe_link', 'preferences_url', 'browser_preview']);
const BEFORE_TAG = /(?:https?:|mailto:)?\/{0,3}\ufdd0(\d+)\ufdd1/gi;

/**
 * Removes the scheme or slashes that some editors add before a merge tag of the product's own
 * links: `http://{{unsubscribe_link}}`.
 */
export function stripOwnLinkSchemes(masked: string, tags: readonly TagPart[]): string {
  if (!masked.includes(OPEN_MARK)) return masked;
  return masked.replace(BEFORE_TAG, (match, index) =>
    OWN_LINKS.has(tags[Number(index)]?.expression.systemTag ?? '')
      ? createPlaceholder(Number(index))
      : match,
  );
}

const HTTP = /^https?:\/\//i;
/**
 * A URL without merge tags in its scheme and authority, so that no recipient value decides the
 * host.
 */
const FIXED_HOST = /^https?:\/\/[^\ufdd0/?#\s]+(?=[/?#]|$)/i;

export function isHttp(address: string): boolean {
  return HTTP.test(address);
}

export function hasFixedHost(address: string): boolean {
  return FIXED_HOST.test(address);
}

/**
 * Returns the target of a stored link for one recipient, with percent-encoded values. Returns
 * undefined if it is not a valid http(s) URL or has merge tags in its host.
 */
export function resolveLink(
  url: string,
  values: MergeValues,
  moment: FilterMoment,
): string | undefined {
  const masked = maskTags(url, false);
  if (!hasFixedHost(masked.text)) return undefined;
  const address = splitMasked(masked.text)
    .map((part) =>
      typeof part === 'string'
        ? part
        : encodeForAddress(masked.tags[part]?.expression.evaluate(values, moment) ?? ''),
    )
    .join('');
  return URL.canParse(address) && isHttp(address) ? new URL(address).href : undefined;
}

export function encodeForAddress(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/'/g, '%27');
}
