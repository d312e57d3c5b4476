// SMS of one message, compiled once and rendered per recipient. Prefix, text, opt-out and links are
// combined only here: for the preview, the segment counter and sending.
import { plainQuotes } from '../../text-parts.ts';
import type { Moment } from '../personalization/filters.ts';
import {
  parseTemplate,
  type TagError,
  type TemplatePart,
  type Values,
} from '../personalization/merge-tags.ts';

/** Frozen source of an SMS. */
export type TextSource = {
  /** Prefix before a colon; null for none. */
  prefix: string | null;
  text: string;
  /** Opt-out text on its own line; may contain `{{unsubscribe_link}}`; null for none. */
  ending: string | null;
  plainQuotes: boolean;
  /** Locale of date formats. */
  locale: string;
  /** utm_campaign of its links; null adds none. */
  campaign: string | null;
};

export type TextLink = { position: number; url: string; label: string };

export type CompiledText = {
  /** Distinct names in its merge tags. */
  names: string[];
  /** Links in order from 1; 0 is the opt-out link. */
  links: TextLink[];
  /** True if the text contains the opt-out tag. */
  hasUnsubscribeLink: boolean;
  errors: TagError[];
  /** Tags without a fallback. */
  open: string[];
  /** @param linkAt URL of a link in this recipient's copy */
  render(values: Values, moment: Moment, linkAt: (position: number) => string): string;
};

/** Position of the opt-out link in every message. */
export const LEAVE_POSITION = 0;
const ADDRESS = /https?:\/\/(?:\{\{[^{}]*\}\}|[^\s<>"“”{])+/giu;
/** Punctuation after a URL belongs to the sentence. */
const ENDS = /(?<![.,;:!?)\]'’»])[.,;:!?)\]'’»]+$/u;
const LEAVE = 'unsubscribe_link';

type Piece = { link: number } | TemplatePart;

export function compileText(source: TextSource): CompiledText {
  const links: TextLink[] = [];
  const errors: TagError[] = [];
  const names = new Set<string>();
  const open = new Set<string>();
  let hasUnsubscribeLink = false;
  const piecesOf = (text: string): Piece[] => {
    const { parts, errors: found } = parseTemplate(text);
    errors.push(...found);
    return parts.map((part) => {
      if (typeof part === 'string') return part;
      const { name, hasFallback, system } = part.expression;
      if (name === LEAVE) {
        hasUnsubscribeLink = true;
        return { link: LEAVE_POSITION };
      }
      if (name !== '' && !system) {
        names.add(name);
        if (!hasFallback) open.add(name);
      }
      return part;
    });
  };
  const pieces: Piece[] = [];
  if (source.prefix) pieces.push(`${source.prefix}: `);
  let done = 0;
  for (const match of source.text.matchAll(ADDRESS)) {
    const url = match[0].replace(ENDS, '');
    pieces.push(...piecesOf(source.text.slice(done, match.index)));
    const position = links.length + 1;
    links.push({ position, url: withCampaign(url, source.campaign), label: url });
    pieces.push({ link: position });
    done = match.index + url.length;
  }
  pieces.push(...piecesOf(source.text.slice(done)));
  if (source.ending) pieces.push('\n', ...piecesOf(source.ending));
  return {
    names: [...names],
    links,
    hasUnsubscribeLink,
    errors,
    open: [...open],
    render: (values, moment, linkAt) => {
      const text = pieces
        .map((piece) => {
          if (typeof piece === 'string') return piece;
          if ('link' in piece) return linkAt(piece.link);
          return oneLine(piece.expression.evaluate(values, moment));
        })
        .join('');
      return source.plainQuotes ? plainQuotes(text) : text;
    },
  };
}

/** Removes line breaks, control characters and unpaired surrogates from a value. */
const oneLine = (value: string) => value.replace(/\p{Cc}+/gu, ' ').toWellFormed();

function withCampaign(url: string, campaign: string | null): string {
  if (campaign === null || url.includes('{') || !URL.canParse(url)) return url;
  const target = new URL(url);
  const tags = { utm_source: 'sendloom', utm_medium: 'sms', utm_campaign: campaign };
  for (const [name, value] of Object.entries(tags)) {
    if (!target.searchParams.has(name)) target.searchParams.set(name, value);
  }
  return target.href;
}
