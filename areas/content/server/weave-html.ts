// HTML as its author pasted it, byte for byte, but for links, pixel, footer and the hidden
// preheader. Walks through it once and replaces only what it must.
import {
  decodeEntities,
  escapeHtml,
  type HtmlAttribute,
  type HtmlToken,
  scanHtml,
} from './html-scanner.ts';
import { conditionalRanges, withoutMarkers } from './conditions.ts';
import {
  encodeForAddress,
  isHttp,
  type Masked,
  maskTags,
  splitMasked,
  unmask,
} from './masked-source.ts';
import {
  addFinding,
  addTagErrors,
  isConstantLine,
  maskedParts,
  type Part,
  TOKEN,
  tagParts,
  sentLink,
  type Weaving,
} from './weaving.ts';
import type { TagError, TagPart } from './merge-tags.ts';

/** Attributes whose value is an address. */
const ADDRESSES = new Set(['href', 'src', 'background', 'action', 'poster']);
const RAW_WITHOUT_TAGS = /^(script|style)$/;
const DANGEROUS = new Set(['iframe', 'object', 'embed', 'applet', 'form', 'base', 'frame']);

/** What the walk found out, for the checks and for what must be added. */
export type HtmlFacts = {
  has_unsubscribe: boolean;
  has_postal_address: boolean;
  images: number;
  images_without_alt: number;
  /** Running text without markup, for the checks. */
  words: string;
};

/** A place of the masked source that becomes something else. */
type Cut = { start: number; end: number; parts: Part[] };
export type WovenHtml = { parts: Part[]; facts: HtmlFacts; masked: Masked; tokens: HtmlToken[] };

export function weaveHtml(weaving: Weaving, html: string): WovenHtml {
  const masked = maskTags(html, true);
  const tokens = [...scanHtml(masked.text)];
  const hidden = hiddenRanges(tokens);
  addTagErrors(weaving, 'html', html, visibleErrors(html, masked.errors));
  const facts = factsOf(weaving, masked, tokens);
  const cuts = [
    ...hidden.map((range) => asWritten(weaving, html, masked, range)),
    ...tokens.flatMap((token, i) =>
      token.type === 'open' ? attributeCuts(weaving, html, masked, tokens, i) : [],
    ),
    ...additions(weaving, masked, tokens, facts),
  ].sort((a, b) => a.start - b.start || a.end - b.end);
  return { parts: applyCuts(weaving, masked, cuts), facts, masked, tokens };
}

/** Braces inside scripts, styles and comments are not merge tags, so not wrong ones either. */
function visibleErrors(html: string, errors: readonly TagError[]): TagError[] {
  if (errors.length === 0) return [];
  const hidden = hiddenRanges([...scanHtml(html)]);
  return errors.filter(({ at }) => !hidden.some(({ start, end }) => at >= start && at < end));
}

/** The merge tags that are filled: not those in scripts, styles and comments, which stay as written. */
export function filledTags(html: string): TagPart[] {
  const { text, tags } = maskTags(html, true);
  const hidden = hiddenRanges([...scanHtml(text)]);
  const written = new Set(
    hidden.flatMap(({ start, end }) =>
      splitMasked(text.slice(start, end)).filter((part) => typeof part === 'number'),
    ),
  );
  return tags.filter((_, index) => !written.has(index));
}

type Range = { start: number; end: number; element: string };

function hiddenRanges(tokens: readonly HtmlToken[]): Range[] {
  return tokens.flatMap((token): Range[] => {
    const { start, end } = token;
    if (token.type === 'raw') return [{ start, end, element: token.element }];
    return token.type === 'comment' ? [{ start, end, element: '' }] : [];
  });
}

/** Scripts, styles and comments keep their braces; a merge tag in a style would never be filled. */
function asWritten(weaving: Weaving, html: string, masked: Masked, range: Range): Cut {
  const inside = masked.text.slice(range.start, range.end);
  if (RAW_WITHOUT_TAGS.test(range.element)) {
    for (const match of inside.matchAll(/\ufdd0(\d+)\ufdd1/g)) {
      const tag = masked.tags[Number(match[1])];
      if (tag !== undefined && range.element === 'style') {
        addFinding(weaving, 'tag_in_style', 'html', html, tag.at, { tag: tag.source });
      }
    }
  }
  return { start: range.start, end: range.end, parts: [unmask(inside, masked.tags)] };
}

function attributeCuts(
  weaving: Weaving,
  html: string,
  masked: Masked,
  tokens: readonly HtmlToken[],
  index: number,
): Cut[] {
  const token = tokens[index];
  if (token?.type !== 'open') return [];
  checkPlaces(weaving, html, masked, token);
  return token.attributes.flatMap((attribute) => {
    const charset = token.name === 'meta' ? charsetCut(masked, attribute) : [];
    if (charset.length > 0) return charset;
    const raw = masked.text.slice(attribute.start, attribute.end);
    if (!ADDRESSES.has(attribute.name)) return unquotedCut(weaving, masked, raw, attribute);
    const isLink = attribute.name === 'href' && token.name !== 'link' && token.name !== 'base';
    if (!isLink && !raw.includes('\ufdd0')) return [];
    const parts = addressParts(
      weaving,
      html,
      masked,
      raw,
      attribute,
      isLink ? () => labelOf(masked, tokens, index) : undefined,
    );
    return parts === undefined ? [] : [{ start: attribute.start, end: attribute.end, parts }];
  });
}

/** Every mail leaves as UTF-8: whoever saves it, or reads it in a browser, must not be told otherwise. */
function charsetCut(masked: Masked, { name, start, end }: HtmlAttribute): Cut[] {
  if (name !== 'charset' && name !== 'content') return [];
  const value = masked.text.slice(start, end);
  const said = name === 'charset' ? value : /charset\s*=\s*["']?([\w.:-]+)/i.exec(value)?.[1];
  if (said === undefined || /^utf-?8$/i.test(said.trim())) return [];
  return [{ start, end, parts: [name === 'charset' ? 'utf-8' : 'text/html; charset=utf-8'] }];
}

function unquotedCut(
  weaving: Weaving,
  masked: Masked,
  raw: string,
  { start, end }: HtmlAttribute,
): Cut[] {
  const isQuoted = /["']/.test(masked.text[start - 1] ?? '');
  if (isQuoted || !raw.includes('\ufdd0')) return [];
  return [{ start, end, parts: maskedParts(weaving, raw, masked.tags, escapeUnquoted) }];
}

/** A value without quotes around it ends at the next blank: no text of somebody's begins an attribute. */
function escapeUnquoted(text: string): string {
  return escapeHtml(text).replace(/[\s=`/]/g, (char) => `&#${char.charCodeAt(0)};`);
}

/** Inside of a tag, but of no value: there, somebody's text would be markup. */
function checkPlaces(
  weaving: Weaving,
  html: string,
  masked: Masked,
  token: HtmlToken & { type: 'open' },
): void {
  const text = masked.text.slice(token.start, token.end);
  if (!text.includes('\ufdd0')) return;
  // Both in their order in the text.
  let next = 0;
  for (const match of text.matchAll(/\ufdd0(\d+)\ufdd1/g)) {
    const at = token.start + match.index;
    const tag = masked.tags[Number(match[1])];
    while ((token.attributes[next]?.end ?? Number.POSITIVE_INFINITY) <= at) next++;
    const isOfValue = at >= (token.attributes[next]?.start ?? Number.POSITIVE_INFINITY);
    if (!tag || isOfValue) continue;
    addFinding(weaving, 'tag_not_here', 'html', html, tag.at, { tag: tag.source });
  }
}

/** An address in an attribute; `label` is given for links. Undefined leaves it as it is. */
function addressParts(
  weaving: Weaving,
  html: string,
  masked: Masked,
  raw: string,
  attribute: HtmlAttribute,
  label: (() => string) | undefined,
): Part[] | undefined {
  const { tags } = masked;
  const address = asAddress(raw);
  if (label !== undefined) {
    const place = { label: label(), decode: decodeEntities, escape: escapeHtml };
    doubtLink(weaving, html, masked, { address: full(address), label: place.label, attribute });
    const sent = sentLink(weaving, full(address), tags, place);
    if (sent !== undefined) return sent;
    checkAddress(weaving, html, masked, address, attribute);
  }
  if (!raw.includes('\ufdd0')) return undefined;
  const first = /^\s*\ufdd0(\d+)\ufdd1/.exec(raw);
  if (first === null) {
    return maskedParts(weaving, raw, tags, encodeForAddress);
  }
  const tag = tags[Number(first[1])];
  const rest = maskedParts(weaving, raw.slice(first[0].length), tags, encodeForAddress);
  if (tag === undefined) return rest;
  return [...tagParts(weaving, tag, tag.expression.system ? escapeHtml : wholeAddress), ...rest];
}

/** As browsers read it: characters of control at its beginning are none of it. */
function asAddress(raw: string): string {
  return (
    decodeEntities(raw)
      .replace(/[\t\n\r]/g, '')
      // oxlint-disable-next-line no-control-regex
      .replace(/^[\0-\x20]+/, '')
      .trim()
  );
}

/** Hosts of nobody, and networks without anybody's page: what templates begin with. */
const PLACEHOLDER =
  /^https?:\/\/(?:(?:[\w-]+\.)*example\.(?:com|org|net)|(?:www\.)?(?:your-?(?:web)?(?:site|domain|company|shop|store)|mysite|mywebsite)\.[a-z]+)(?=[:/?#]|$)|^https?:\/\/(?:www\.)?(?:instagram|facebook|youtube|twitter|x|tiktok|linkedin|pinterest)\.com\/?$/i;
/** "Unsubscribe" in the languages of the product, as a word of a link or in its address. */
const LEAVES =
  /unsubscri|opt[ -]?out|avmeld|meld (?:meg|deg) av|avregistrer|avprenumerer|avsluta prenumeration|atsisaky|atrakst|لغو (?:اشتراک|عضویت)/i;

/** A link that its author has not looked at, or a way out that is not ours and takes nobody off the list. */
function doubtLink(
  weaving: Weaving,
  html: string,
  masked: Masked,
  { address, label, attribute }: { address: string; label: string; attribute: HtmlAttribute },
): void {
  if (!isHttp(address)) return;
  const written = () => unmask(masked.text.slice(0, attribute.start), masked.tags).length;
  const url = unmask(address, masked.tags).slice(0, 80);
  if (PLACEHOLDER.test(address)) {
    addFinding(weaving, 'placeholder_link', 'html', html, written, { url }, 'warning');
  } else if (LEAVES.test(label) || LEAVES.test(address)) {
    addFinding(weaving, 'unsubscribe_foreign', 'html', html, written, { url }, 'warning');
  }
}

/** `//host/path` is a link of the page it stands on; a mail has none. */
function full(address: string): string {
  return address.startsWith('//') ? `https:${address}` : address;
}

/** A value that is an address itself: only kinds that cannot run anything. */
function wholeAddress(text: string): string {
  const address = text.trim();
  if (!/^(https?:\/\/|mailto:|tel:)/i.test(address)) return '#';
  return escapeHtml(address).replace(/\s/g, '%20');
}

function checkAddress(
  weaving: Weaving,
  html: string,
  masked: Masked,
  address: string,
  attribute: HtmlAttribute,
): void {
  const written = () => unmask(masked.text.slice(0, attribute.start), masked.tags).length;
  const shown = unmask(address, masked.tags).slice(0, 80);
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(address)?.[1]?.toLowerCase();
  if (scheme === 'javascript' || scheme === 'vbscript' || scheme === 'data') {
    addFinding(weaving, 'link_dangerous', 'html', html, written, { url: shown });
  } else if (address === '' || address === '#') {
    addFinding(weaving, 'link_empty', 'html', html, written, {}, 'warning');
  } else if (scheme === undefined && !/^[#\ufdd0]/.test(address) && !isHttp(full(address))) {
    addFinding(weaving, 'link_relative', 'html', html, written, { url: shown }, 'warning');
  }
}

/** The text of a link, or the alt text of its image. */
function labelOf(masked: Masked, tokens: readonly HtmlToken[], from: number): string {
  const opening = tokens[from];
  const element = opening?.type === 'open' ? opening.name : '';
  let label = '';
  for (let i = from + 1; i < tokens.length && i < from + 40 && label.length < 200; i++) {
    const token = tokens[i] as HtmlToken;
    if (token.type === 'close' && token.name === element) break;
    if (token.type === 'text') label += masked.text.slice(token.start, token.end);
    if (token.type === 'open' && token.name === 'img')
      label += ` ${valueOf(masked, token, 'alt') ?? ''} `;
  }
  return decodeEntities(unmask(label, masked.tags)).replace(/\s+/g, ' ').trim();
}

function valueOf(
  masked: Masked,
  token: HtmlToken & { type: 'open' },
  name: string,
): string | undefined {
  const attribute = token.attributes.find((one) => one.name === name);
  return attribute && masked.text.slice(attribute.start, attribute.end);
}

function factsOf(weaving: Weaving, masked: Masked, tokens: readonly HtmlToken[]): HtmlFacts {
  const { source } = weaving;
  const facts = {
    images: 0,
    images_without_alt: 0,
    has_unsubscribe: false,
    has_postal_address: false,
  };
  const html = source.html ?? '';
  const words: string[] = [];
  for (const token of tokens) {
    if (token.type === 'text') words.push(masked.text.slice(token.start, token.end));
    if (token.type !== 'open') continue;
    const at = () => unmask(masked.text.slice(0, token.start), masked.tags).length;
    if (token.name === 'img' && !isPixel(masked, token)) {
      facts.images++;
      if (valueOf(masked, token, 'alt') === undefined) facts.images_without_alt++;
    } else if (token.name === 'script' && !/json/i.test(valueOf(masked, token, 'type') ?? '')) {
      addFinding(weaving, 'script', 'html', html, at);
    } else if (DANGEROUS.has(token.name)) {
      addFinding(
        weaving,
        'element_unsupported',
        'html',
        html,
        at,
        { element: token.name },
        'warning',
      );
    }
    const handler = token.attributes.find((one) => /^on[a-z]+$/.test(one.name));
    if (handler) {
      addFinding(weaving, 'event_handler', 'html', html, at, { name: handler.name }, 'warning');
    }
  }
  // What only some people see does not count: everybody must be able to leave.
  const everybodys = forEverybody(source, masked.text, tokens);
  const used = systemTagsIn(masked, everybodys);
  const isSeenByAll = new Set(everybodys);
  const text = decodeEntities(
    tokens
      .filter((token) => token.type === 'text' && isSeenByAll.has(token))
      .map((token) => masked.text.slice(token.start, token.end))
      .join(' '),
  ).replace(/\s+/g, ' ');
  const street = source.street.replace(/\s+/g, ' ').trim().toLowerCase();
  return {
    ...facts,
    has_unsubscribe: used.has('unsubscribe_link'),
    has_postal_address:
      used.has('postal_address') || (street !== '' && text.toLowerCase().includes(street)),
    words: withoutMarkers(decodeEntities(words.join(' '))).replace(/\s+/g, ' '),
  };
}

function forEverybody(
  { conditions = [] }: Weaving['source'],
  text: string,
  tokens: readonly HtmlToken[],
): readonly HtmlToken[] {
  if (conditions.length === 0) return tokens;
  const ranges = conditionalRanges(text);
  return tokens.filter(
    ({ start }) => !ranges.some((range) => start > range.start && start < range.end),
  );
}

function isPixel(masked: Masked, token: HtmlToken & { type: 'open' }): boolean {
  return valueOf(masked, token, 'width') === '1' && valueOf(masked, token, 'height') === '1';
}

/** System tags where they take effect: not in comments, scripts or styles. */
function systemTagsIn(masked: Masked, tokens: readonly HtmlToken[]): Set<string> {
  const used = new Set<string>();
  for (const token of tokens) {
    if (token.type === 'raw' || token.type === 'comment') continue;
    for (const match of masked.text.slice(token.start, token.end).matchAll(/\ufdd0(\d+)\ufdd1/g)) {
      const system = masked.tags[Number(match[1])]?.expression.system;
      if (system !== undefined) used.add(system);
    }
  }
  return used;
}

/** Preheader at the beginning of the body; footer and pixel at its end. */
function additions(
  weaving: Weaving,
  masked: Masked,
  tokens: readonly HtmlToken[],
  facts: HtmlFacts,
): Cut[] {
  const { source } = weaving;
  const start = bodyStart(masked, tokens);
  const end = bodyEnd(tokens, masked.text.length);
  const cuts: Cut[] = [];
  if (source.preheader.trim() !== '') {
    cuts.push({ start, end: start, parts: preheaderParts(weaving) });
  }
  const closing: Part[] = [];
  if (source.kind === 'marketing') closing.push(...footerParts(weaving, facts));
  if (source.is_tracked && source.measures_opens !== false) {
    closing.push(
      `<img src="${escapeHtml(source.public_url)}/t/o/`,
      TOKEN,
      '.gif" width="1" height="1" alt="" style="display:block;width:1px;height:1px;border:0">',
    );
  }
  if (closing.length > 0) cuts.push({ start: end, end, parts: closing });
  return cuts;
}

function bodyStart(masked: Masked, tokens: readonly HtmlToken[]): number {
  const body = tokens.find((token) => token.type === 'open' && token.name === 'body');
  if (body) return body.end;
  const head = tokens.find((token) => token.type === 'close' && token.name === 'head');
  if (head) return head.end;
  const html = tokens.find((token) => token.type === 'open' && token.name === 'html');
  if (html) return html.end;
  const doctype = tokens.find(
    ({ type, start }) =>
      type === 'comment' && /^<!doctype/i.test(masked.text.slice(start, start + 9)),
  );
  return doctype?.end ?? 0;
}

function bodyEnd(tokens: readonly HtmlToken[], length: number): number {
  for (const name of ['body', 'html']) {
    const closing = tokens.findLast((token) => token.type === 'close' && token.name === name);
    if (closing) return closing.start;
  }
  return length;
}

/**
 * Blanks as wide as a digit, which do not collapse, and joiners that keep programs from cutting them: with
 * letters of 14 px that is over 1,200 px, wider than any inbox shows of a mail.
 */
const FILLER = '&#8199;&#847;'.repeat(160);

/** What the inbox shows after the subject; the filler keeps the body's own text out of it. */
function preheaderParts(weaving: Weaving): Part[] {
  const { source, preheader } = weaving;
  const text: Part = isConstantLine(source.preheader)
    ? escapeHtml(preheader.of({}, { now: new Date(0), locale: 'en' }))
    : { of: (values, moment) => escapeHtml(preheader.of(values, moment)) };
  const style =
    'display:none;font-size:1px;line-height:1px;max-height:0;max-width:0;opacity:0;overflow:hidden;mso-hide:all';
  return [`<div style="${style}">`, text, `${FILLER}</div>`];
}

/** Only what the template lacks. */
function footerParts(weaving: Weaving, facts: HtmlFacts): Part[] {
  const { source } = weaving;
  if (facts.has_unsubscribe && facts.has_postal_address) return [];
  const direction = source.language === 'fas' ? 'rtl' : 'ltr';
  const style =
    'margin:0 auto;padding:24px 16px;max-width:600px;font-family:Arial,Helvetica,sans-serif;font-size:12px;line-height:18px;background:#ffffff;color:#5b606b;text-align:center';
  const parts: Part[] = [`<div dir="${direction}" style="${style}">`];
  if (!facts.has_unsubscribe) parts.push(`${escapeHtml(source.words.reason)}<br>`);
  if (!facts.has_postal_address) {
    const sender = [source.company, source.postal_address].filter((line) => line.trim() !== '');
    parts.push(`${sender.map((line) => escapeHtml(line)).join(', ')}<br>`);
  }
  if (!facts.has_unsubscribe) {
    parts.push(
      `<a href="${escapeHtml(source.public_url)}/u/`,
      TOKEN,
      `" style="color:#5b606b;text-decoration:underline">${escapeHtml(source.words.unsubscribe)}</a>`,
    );
  }
  return [...parts, '</div>'];
}

function applyCuts(weaving: Weaving, masked: Masked, cuts: readonly Cut[]): Part[] {
  const parts: Part[] = [];
  let done = 0;
  for (const cut of cuts) {
    if (cut.start < done) continue;
    parts.push(
      ...maskedParts(weaving, masked.text.slice(done, cut.start), masked.tags, escapeHtml),
    );
    parts.push(...cut.parts);
    done = cut.end;
  }
  parts.push(...maskedParts(weaving, masked.text.slice(done), masked.tags, escapeHtml));
  return parts;
}
