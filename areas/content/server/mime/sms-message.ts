// SMS of one message, compiled once and rendered per recipient. Prefix, text, opt-out and links are
// combined only here: for previews, the counting of parts, and sending.
import { replaceTypographicQuotes } from '../../text-parts.ts';
import { BUILT_IN_UTM, UTM_NAMES, type UtmValues } from '../../utm.ts';
import type { FilterMoment } from '../personalization/filters.ts';
import {
  parseTemplate,
  type TagError,
  type TemplatePart,
  type MergeValues,
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
  /** UTM parameters added to links without merge tags. */
  utm?: UtmValues | undefined;
  /** utm_campaign of SMS frozen by earlier releases, with the built-in source and medium. */
  campaign?: string | null | undefined;
};

export type SmsLink = {
  position: number;
  url: string;
  label: string;
  /** The URL as its author wrote it, if UTM parameters were added. */
  written_url?: string | undefined;
};

export type CompiledSms = {
  /** Distinct names in its merge tags. */
  names: string[];
  /** Links of the text in order, with positions from 1; the opt-out link has position 0. */
  links: SmsLink[];
  /** Whether the text or its ending contains the opt-out tag. */
  hasUnsubscribeLink: boolean;
  errors: TagError[];
  /** Names of merge tags without a fallback. */
  namesWithoutFallback: string[];
  /** @param linkAt URL of a link in this recipient's copy */
  render(values: MergeValues, moment: FilterMoment, linkAt: (position: number) => string): string;
};

/** Position of the opt-out link in every message. */
export const LEAVE_POSITION = 0;
const ADDRESS = /https?:\/\/(?:\{\{[^{}]*\}\}|[^\s<>"“”{])+/giu;
/** Punctuation after a URL belongs to the sentence. */
const TRAILING_PUNCTUATION = /(?<![.,;:!?)\]'’»])[.,;:!?)\]'’»]+$/u;
const LEAVE = 'unsubscribe_link';

type SmsPiece = { link: number } | TemplatePart;

export function compileSms(source: TextSource): CompiledSms {
  const utm = resolveSourceUtm(source);
  const links: SmsLink[] = [];
  const errors: TagError[] = [];
  const names = new Set<string>();
  const unguardedNames = new Set<string>();
  let hasUnsubscribeLink = false;
  const parsePieces = (text: string): SmsPiece[] => {
    const { parts, errors: found } = parseTemplate(text);
    errors.push(...found);
    return parts.map((part) => {
      if (typeof part === 'string') return part;
      const { name, hasFallback, systemTag } = part.expression;
      if (name === LEAVE) {
        hasUnsubscribeLink = true;
        return { link: LEAVE_POSITION };
      }
      if (name !== '' && !systemTag) {
        names.add(name);
        if (!hasFallback) unguardedNames.add(name);
      }
      return part;
    });
  };
  const smsPieces: SmsPiece[] = [];
  if (source.prefix) smsPieces.push(`${source.prefix}: `);
  let copiedTo = 0;
  for (const match of source.text.matchAll(ADDRESS)) {
    const url = match[0].replace(TRAILING_PUNCTUATION, '');
    smsPieces.push(...parsePieces(source.text.slice(copiedTo, match.index)));
    const position = links.length + 1;
    const trackedUrl = addUtm(url, utm);
    const written_url = trackedUrl === url ? undefined : url;
    links.push({ position, url: trackedUrl, label: url, written_url });
    smsPieces.push({ link: position });
    copiedTo = match.index + url.length;
  }
  smsPieces.push(...parsePieces(source.text.slice(copiedTo)));
  if (source.ending) smsPieces.push('\n', ...parsePieces(source.ending));
  return {
    names: [...names],
    links,
    hasUnsubscribeLink,
    errors,
    namesWithoutFallback: [...unguardedNames],
    render: (values, moment, linkAt) => {
      const text = smsPieces
        .map((piece) => {
          if (typeof piece === 'string') return piece;
          if ('link' in piece) return linkAt(piece.link);
          return toOneLine(piece.expression.evaluate(values, moment));
        })
        .join('');
      return source.plainQuotes ? replaceTypographicQuotes(text) : text;
    },
  };
}

/** Replaces line breaks, control characters and unpaired surrogates in a value. */
const toOneLine = (value: string) => value.replace(/\p{Cc}+/gu, ' ').toWellFormed();

function resolveSourceUtm({ utm, campaign }: TextSource): UtmValues | undefined {
  return utm ?? (campaign == null ? undefined : { ...BUILT_IN_UTM.sms, campaign });
}

/** Adds UTM parameters; the author's own parameters take precedence. */
function addUtm(url: string, utm: UtmValues | undefined): string {
  if (utm === undefined || url.includes('{') || !URL.canParse(url)) return url;
  const target = new URL(url);
  // A link that has a utm_source belongs to another campaign, so it is unchanged.
  if (target.searchParams.has('utm_source')) return url;
  for (const name of UTM_NAMES) {
    const value = utm[name];
    if (value && !target.searchParams.has(`utm_${name}`)) {
      target.searchParams.set(`utm_${name}`, value);
    }
  }
  return target.href;
}
