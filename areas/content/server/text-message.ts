// A text (SMS) of one message, made once and filled in for each person. Prefix, words, opt-out and links
// come together here alone: for the preview, for the counter of parts, and for what is sent.
import { plainQuotes } from '../text-parts.ts';
import type { Moment } from './filters.ts';
import { parseTemplate, type TagError, type TemplatePart, type Values } from './merge-tags.ts';

/** What is frozen of a text. */
export type TextSource = {
  /** At the start, before a colon; null: none. */
  prefix: string | null;
  text: string;
  /** How to leave, on a line of its own; may hold `{{unsubscribe_link}}`; null: none. */
  ending: string | null;
  plainQuotes: boolean;
  /** Of the account's formats in dates. */
  locale: string;
  /** utm_campaign, written into the targets of its links; null: nothing is added. */
  campaign: string | null;
};

export type TextLink = { position: number; url: string; label: string };

export type CompiledText = {
  /** What its merge tags name, each once. */
  names: string[];
  /** In their order, from 1; 0 is the link that leaves. */
  links: TextLink[];
  /** The tag for leaving stands in it. */
  hasUnsubscribeLink: boolean;
  errors: TagError[];
  /** Tags without a fallback. */
  open: string[];
  /** @param linkAt the address of a link in this person's copy */
  render(values: Values, moment: Moment, linkAt: (position: number) => string): string;
};

/** The position that every message keeps for leaving. */
export const LEAVE_POSITION = 0;
const ADDRESS = /https?:\/\/(?:\{\{[^{}]*\}\}|[^\s<>"“”{])+/giu;
/** A sentence may end behind an address. */
const ENDS = /(?<![.,;:!?)\]'’»])[.,;:!?)\]'’»]+$/u;
const LEAVE = 'unsubscribe_link';

type Piece = { link: number } | TemplatePart;

export function compileText(source: TextSource): CompiledText {
  const links: TextLink[] = [];
  const errors: TagError[] = [];
  const names = new Set<string>();
  const open = new Set<string>();
  let hasUnsubscribeLink = false;
  const words = (text: string): Piece[] => {
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
    pieces.push(...words(source.text.slice(done, match.index)));
    const position = links.length + 1;
    links.push({ position, url: withCampaign(url, source.campaign), label: url });
    pieces.push({ link: position });
    done = match.index + url.length;
  }
  pieces.push(...words(source.text.slice(done)));
  if (source.ending) pieces.push('\n', ...words(source.ending));
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

/** A value never brings a line, a control sign or half a letter into a text. */
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
