// A source with its merge tags taken out: each becomes a placeholder of characters that mean
// nothing to HTML or to addresses, so that quotes and brackets inside a tag cannot mislead a reader.
import { parseTemplate, type TagError, type TagPart, type Values } from './merge-tags.ts';
import type { Moment } from './filters.ts';

/** Unicode noncharacters: never valid in text that is exchanged. */
const OPEN = '\ufdd0';
const CLOSE = '\ufdd1';
const PLACEHOLDER = /\ufdd0(\d+)\ufdd1/g;
/** A placeholder, for use inside other patterns. */
export const PLACEHOLDER_PATTERN = '\\ufdd0\\d+\\ufdd1';

export type Masked = { text: string; tags: TagPart[]; errors: TagError[] };

export function maskTags(source: string, inHtml: boolean): Masked {
  const clean = source.replace(/[\ufdd0\ufdd1\0]/g, '\ufffd');
  const template = parseTemplate(clean, inHtml);
  const tags: TagPart[] = [];
  const text = template.parts
    .map((part) => (typeof part === 'string' ? part : placeholder(tags.push(part) - 1)))
    .join('');
  return { text, tags, errors: template.errors };
}

export function placeholder(index: number): string {
  return OPEN + index + CLOSE;
}

/** Cuts masked text at its placeholders: literal text and indexes in turn. */
export function splitMasked(text: string): (string | number)[] {
  return text.split(PLACEHOLDER).map((part, i) => (i % 2 === 0 ? part : Number(part)));
}

/** The text as it was written. */
export function unmask(text: string, tags: readonly TagPart[]): string {
  return text.replace(PLACEHOLDER, (_, index) => tags[Number(index)]?.source ?? '');
}

/** `{{ firstname | default: 'you' }}`: a tag in an address, without what HTML did to it. */
export function unmaskDecoded(
  text: string,
  tags: readonly TagPart[],
  decode: (text: string) => string,
) {
  return text.replace(PLACEHOLDER, (_, index) => decode(tags[Number(index)]?.source ?? ''));
}

const OWN_LINKS = new Set(['unsubscribe_link', 'preferences_url', 'browser_preview']);
const BEFORE_TAG = /(?:https?:|mailto:)?\/{0,3}\ufdd0(\d+)\ufdd1/gi;

/** Editors write a scheme before what is a whole address already: `http://{{unsubscribe_link}}`. */
export function bareOwnLinks(masked: string, tags: readonly TagPart[]): string {
  return masked.replace(BEFORE_TAG, (whole, index) =>
    OWN_LINKS.has(tags[Number(index)]?.expression.system ?? '')
      ? placeholder(Number(index))
      : whole,
  );
}

const HTTP = /^https?:\/\//i;
/** Scheme and authority without a merge tag, so that no value decides which host is visited. */
const FIXED_HOST = /^https?:\/\/[^\ufdd0/?#\s]+(?=[/?#]|$)/i;

export function isHttp(address: string): boolean {
  return HTTP.test(address);
}

export function hasFixedHost(address: string): boolean {
  return FIXED_HOST.test(address);
}

/**
 * Where a stored link leads for one recipient: values are percent-encoded into their place.
 * Undefined unless the result is a valid http(s) address.
 */
export function resolveLink(url: string, values: Values, moment: Moment): string | undefined {
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
