// Processes the attributes of HTML tags: tracks links, encodes merge tags in URLs and in unquoted
// attributes, declares UTF-8 as the charset, and reports doubtful links, images and merge tags.
import { decodeEntities, escapeHtml } from './character-references.ts';
import type { HtmlAttribute, HtmlToken } from '../../html-scanner.ts';
import { isUnreachable, parseScheme } from './address-use.ts';
import {
  stripOwnLinkSchemes,
  encodeForAddress,
  isHttp,
  type MaskedSource,
  unmask,
} from './masked-source.ts';
import { type HtmlCut, type OpeningTag, readAttribute } from './html-parts.ts';
import {
  addFinding,
  type Instrumenting,
  toMaskedParts,
  type MessagePart,
  createSentLink,
  createTagParts,
} from './instrumenting.ts';

/** Attributes that contain a URL. */
const URL_ATTRIBUTES = new Set(['href', 'src', 'background', 'action', 'poster']);
/**
 * Placeholder links in new templates: example.com, names such as yourshop.com, and home pages of
 * social networks.
 */
const PLACEHOLDER_LINK =
  /^https?:\/\/(?:(?:[\w-]+\.)*example\.(?:com|org|net)|(?:www\.)?(?:your-?(?:web)?(?:site|domain|company|shop|store)|mysite|mywebsite)\.[a-z]+)(?=[:/?#]|$)|^https?:\/\/(?:www\.)?(?:instagram|facebook|youtube|twitter|x|tiktok|linkedin|pinterest)\.com\/?$/i;
/**
 * `%7B%7Bemail%7D%7D` or `%7B%24email%7D`: a merge tag without effect, because an editor has
 * percent-encoded it.
 */
const ENCODED_TAG = /%7B(?:%7B|%24)[^{}]{0,200}?%7D/i;
/** "Unsubscribe" in the languages of the interface, searched in labels and URLs of links. */
const UNSUBSCRIBE_WORDS =
  /unsubscri|opt[ -]?out|avmeld|meld (?:meg|deg) av|avregistrer|avprenumerer|avsluta prenumeration|atsisaky|atrakst|لغو (?:اشتراک|عضویت)/i;

export function listAttributeCuts(
  instrumenting: Instrumenting,
  html: string,
  masked: MaskedSource,
  tokens: readonly HtmlToken[],
  index: number,
): HtmlCut[] {
  const token = tokens[index];
  if (token?.type !== 'open') return [];
  checkTagPositions(instrumenting, html, masked, token);
  return token.attributes.flatMap((attribute) => {
    const charsetCuts = token.name === 'meta' ? createCharsetCut(masked, attribute) : [];
    if (charsetCuts.length > 0) return charsetCuts;
    const raw = masked.text.slice(attribute.start, attribute.end);
    if (!URL_ATTRIBUTES.has(attribute.name))
      return createUnquotedCut(instrumenting, masked, raw, attribute);
    const isLink = attribute.name === 'href' && token.name !== 'link' && token.name !== 'base';
    if (isImage(token, attribute)) checkImage(instrumenting, html, masked, attribute);
    if (!isLink && !raw.includes('\ufdd0')) return [];
    const parts = createAddressParts(
      instrumenting,
      html,
      masked,
      raw,
      attribute,
      isLink ? () => readLabel(masked, tokens, index) : undefined,
    );
    return parts === undefined ? [] : [{ start: attribute.start, end: attribute.end, parts }];
  });
}

/**
 * Replaces a declared charset other than UTF-8. Every email is sent as UTF-8, and browsers would
 * read a saved copy in the declared charset.
 */
function createCharsetCut(masked: MaskedSource, { name, start, end }: HtmlAttribute): HtmlCut[] {
  if (name !== 'charset' && name !== 'content') return [];
  const value = masked.text.slice(start, end);
  const declaredCharset =
    name === 'charset' ? value : /charset\s*=\s*["']?([\w.:-]+)/i.exec(value)?.[1];
  if (declaredCharset === undefined || /^utf-?8$/i.test(declaredCharset.trim())) return [];
  return [{ start, end, parts: [name === 'charset' ? 'utf-8' : 'text/html; charset=utf-8'] }];
}

function createUnquotedCut(
  instrumenting: Instrumenting,
  masked: MaskedSource,
  raw: string,
  { start, end }: HtmlAttribute,
): HtmlCut[] {
  const isQuoted = /["']/.test(masked.text[start - 1] ?? '');
  if (isQuoted || !raw.includes('\ufdd0')) return [];
  return [{ start, end, parts: toMaskedParts(instrumenting, raw, masked.tags, escapeUnquoted) }];
}

/** Escapes a recipient value in an unquoted attribute, so that it cannot end the attribute. */
function escapeUnquoted(text: string): string {
  return escapeHtml(text).replace(/[\s=`/]/g, (char) => `&#${char.charCodeAt(0)};`);
}

/**
 * Reports merge tags inside an HTML tag but outside its attribute values, where a recipient's value
 * would become markup.
 */
function checkTagPositions(
  instrumenting: Instrumenting,
  html: string,
  masked: MaskedSource,
  token: OpeningTag,
): void {
  if (masked.tags.length === 0) return;
  const text = masked.text.slice(token.start, token.end);
  if (!text.includes('\ufdd0')) return;
  // Merge tags and attributes are both in order of position.
  let next = 0;
  for (const match of text.matchAll(/\ufdd0(\d+)\ufdd1/g)) {
    const position = token.start + match.index;
    const tag = masked.tags[Number(match[1])];
    while ((token.attributes[next]?.end ?? Number.POSITIVE_INFINITY) <= position) next++;
    const isOfValue = position >= (token.attributes[next]?.start ?? Number.POSITIVE_INFINITY);
    if (!tag || isOfValue) continue;
    addFinding(instrumenting, 'tag_not_here', 'html', html, tag.position, { tag: tag.source });
  }
}

/**
 * Returns the parts that replace a URL in an attribute, or undefined to leave it unchanged. `label`
 * is present only for links, which are also tracked and checked.
 */
function createAddressParts(
  instrumenting: Instrumenting,
  html: string,
  masked: MaskedSource,
  rawValue: string,
  attribute: HtmlAttribute,
  label: (() => string) | undefined,
): MessagePart[] | undefined {
  const { tags } = masked;
  const raw = stripOwnLinkSchemes(rawValue, tags);
  const address = decodeAddress(raw);
  if (label !== undefined) {
    const linkContext = { label: label(), decode: decodeEntities, escape: escapeHtml };
    reportDoubtfulLink(instrumenting, html, masked, {
      address: addScheme(address),
      label: linkContext.label,
      attribute,
    });
    const trackedLink = createSentLink(instrumenting, addScheme(address), tags, linkContext);
    if (trackedLink !== undefined) return trackedLink;
    checkAddress(instrumenting, html, masked, address, attribute);
  }
  if (!raw.includes('\ufdd0')) return undefined;
  const leadingTag = /^\s*\ufdd0(\d+)\ufdd1/.exec(raw);
  if (leadingTag === null) {
    return (
      createPartsBehindScheme(instrumenting, masked, raw) ??
      toMaskedParts(instrumenting, raw, tags, encodeForAddress)
    );
  }
  const tag = tags[Number(leadingTag[1])];
  const remainder = toMaskedParts(
    instrumenting,
    raw.slice(leadingTag[0].length),
    tags,
    encodeForAddress,
  );
  if (tag === undefined) return remainder;
  return [
    ...createTagParts(
      instrumenting,
      tag,
      tag.expression.systemTag ? escapeHtml : encodeWholeAddress,
    ),
    ...remainder,
  ];
}

/**
 * For `http://{{website}}`: drops the scheme before the tag if the recipient's value is already an
 * http(s) URL.
 */
function createPartsBehindScheme(
  instrumenting: Instrumenting,
  { tags }: MaskedSource,
  raw: string,
): MessagePart[] | undefined {
  const [whole, scheme = '', index] = /^\s*(https?:\/\/)\ufdd0(\d+)\ufdd1/i.exec(raw) ?? [];
  const tag = tags[Number(index)];
  if (whole === undefined || tag === undefined) return undefined;
  const escape = (text: string) =>
    isHttp(text.trim()) ? encodeWholeAddress(text) : scheme + encodeForAddress(text);
  const remainder = toMaskedParts(instrumenting, raw.slice(whole.length), tags, encodeForAddress);
  return [...createTagParts(instrumenting, tag, escape), ...remainder];
}

/**
 * Decodes HTML entities in a URL. Removes tab characters, line breaks, leading control characters
 * and surrounding spaces, as browsers do.
 */
function decodeAddress(raw: string): string {
  return (
    decodeEntities(raw)
      .replace(/[\t\n\r]/g, '')
      // oxlint-disable-next-line no-control-regex
      .replace(/^[\0-\x20]+/, '')
      .trim()
  );
}

/**
 * Warns of a link that probably does not do what its author expects: an unreachable URL, a
 * percent-encoded merge tag, a placeholder, or an unsubscribe link of another product.
 */
function reportDoubtfulLink(
  instrumenting: Instrumenting,
  html: string,
  masked: MaskedSource,
  { address, label, attribute }: { address: string; label: string; attribute: HtmlAttribute },
): void {
  const code = findDoubt(address, label);
  if (code === undefined) return;
  const findSourcePosition = () =>
    unmask(masked.text.slice(0, attribute.start), masked.tags).length;
  const url = unmask(address, masked.tags).slice(0, 80);
  addFinding(instrumenting, code, 'html', html, findSourcePosition, { url }, 'warning');
}

function findDoubt(address: string, label: string): string | undefined {
  if (isUnreachable(address)) return 'link_unusable';
  if (ENCODED_TAG.test(address)) return 'link_tag_encoded';
  if (!isHttp(address)) return undefined;
  if (PLACEHOLDER_LINK.test(address)) return 'placeholder_link';
  return UNSUBSCRIBE_WORDS.test(label) || UNSUBSCRIBE_WORDS.test(address)
    ? 'unsubscribe_foreign'
    : undefined;
}

/** Adds a scheme to `//host/path`, because an email has no base URL. */
function addScheme(address: string): string {
  return address.startsWith('//') ? `https:${address}` : address;
}

/** Escapes a recipient value at the start of a URL; a value without a safe scheme becomes `#`. */
function encodeWholeAddress(text: string): string {
  const address = text.trim();
  if (!/^(https?:\/\/|mailto:|tel:)/i.test(address)) return '#';
  return escapeHtml(address).replace(/\s/g, '%20');
}

function checkAddress(
  instrumenting: Instrumenting,
  html: string,
  masked: MaskedSource,
  address: string,
  attribute: HtmlAttribute,
): void {
  const findSourcePosition = () =>
    unmask(masked.text.slice(0, attribute.start), masked.tags).length;
  const displayAddress = unmask(address, masked.tags).slice(0, 80);
  const scheme = parseScheme(address);
  if (scheme === 'javascript' || scheme === 'vbscript' || scheme === 'data') {
    addFinding(instrumenting, 'link_dangerous', 'html', html, findSourcePosition, {
      url: displayAddress,
    });
  } else if (address === '' || address === '#') {
    addFinding(instrumenting, 'link_empty', 'html', html, findSourcePosition, {}, 'warning');
  } else if (scheme === undefined && !/^[#\ufdd0]/.test(address) && !isHttp(addScheme(address))) {
    if (ENCODED_TAG.test(address)) return;
    addFinding(
      instrumenting,
      'link_relative',
      'html',
      html,
      findSourcePosition,
      { url: displayAddress },
      'warning',
    );
  }
}

const isImage = (token: OpeningTag, { name }: HtmlAttribute) =>
  name === 'background' || name === 'poster' || (name === 'src' && token.name === 'img');

/**
 * Warns of images that many mail clients cannot load: URLs that are not http(s), such as `data:`
 * and `cid:`, and unreachable hosts. URLs of this installation and URLs that begin with a merge tag
 * are accepted.
 */
function checkImage(
  instrumenting: Instrumenting,
  html: string,
  masked: MaskedSource,
  attribute: HtmlAttribute,
): void {
  const address = addScheme(decodeAddress(masked.text.slice(attribute.start, attribute.end)));
  const { public_url: own } = instrumenting.source;
  if (address.startsWith('\ufdd0') || (own !== '' && address.startsWith(`${own}/`))) return;
  if (isHttp(address) && !isUnreachable(address)) return;
  const findSourcePosition = () =>
    unmask(masked.text.slice(0, attribute.start), masked.tags).length;
  const url = unmask(address, masked.tags).slice(0, 80);
  addFinding(instrumenting, 'image_unusable', 'html', html, findSourcePosition, { url }, 'warning');
}

/** Returns a link's text and the alternative text of its images, from at most 39 tokens. */
function readLabel(masked: MaskedSource, tokens: readonly HtmlToken[], from: number): string {
  const opening = tokens[from];
  const element = opening?.type === 'open' ? opening.name : '';
  let label = '';
  for (let i = from + 1; i < tokens.length && i < from + 40 && label.length < 200; i++) {
    const token = tokens[i] as HtmlToken;
    if (token.type === 'close' && token.name === element) break;
    if (token.type === 'text') label += masked.text.slice(token.start, token.end);
    if (token.type === 'open' && token.name === 'img')
      label += ` ${readAttribute(masked, token, 'alt') ?? ''} `;
  }
  return decodeEntities(unmask(label, masked.tags)).replace(/\s+/g, ' ').trim();
}
