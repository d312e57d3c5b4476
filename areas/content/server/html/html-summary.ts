// Facts about HTML for the checks: unsubscribe link, postal address, images and text.
import { listConditionalRanges, removeMarkers } from '../personalization/conditions.ts';
import { filterVisibleTokens } from './hidden-elements.ts';
import { type OpeningTag, readAttribute } from './html-parts.ts';
import { decodeEntities } from './character-references.ts';
import type { HtmlToken } from '../../html-scanner.ts';
import { addFinding, type Instrumenting } from './instrumenting.ts';
import { type MaskedSource, unmask } from './masked-source.ts';

const DANGEROUS = new Set(['iframe', 'object', 'embed', 'applet', 'form', 'base', 'frame']);

/** Facts found by the scan, which the checks and the additions use. */
export type HtmlSummary = {
  has_unsubscribe: boolean;
  has_postal_address: boolean;
  images: number;
  images_without_alt: number;
  /** Returns the text without markup. It is computed on demand, because only the checks need it. */
  readText(): string;
};

export function summarizeHtml(
  instrumenting: Instrumenting,
  masked: MaskedSource,
  tokens: readonly HtmlToken[],
): HtmlSummary {
  const { source } = instrumenting;
  const images = { images: 0, images_without_alt: 0 };
  for (const token of tokens) {
    if (token.type !== 'open') continue;
    if (token.name === 'img' && !isPixel(masked, token)) {
      images.images++;
      if (readAttribute(masked, token, 'alt') === undefined) images.images_without_alt++;
    } else reportElement(instrumenting, masked, token);
    reportHandler(instrumenting, masked, token);
  }
  // Conditional content is excluded, because every recipient must be able to unsubscribe.
  const visibleTokens = filterVisibleTokens(
    masked.text,
    filterUnconditional(source, masked.text, tokens),
  );
  const browsers = summarizeFooter(
    masked,
    source,
    visibleTokens.filter(({ readers }) => readers !== 'outlook'),
  );
  const outlook = visibleTokens.every(({ readers }) => readers === 'all')
    ? browsers
    : summarizeFooter(
        masked,
        source,
        visibleTokens.filter(({ readers }) => readers !== 'others'),
      );
  return {
    ...images,
    has_unsubscribe: browsers.has_unsubscribe && outlook.has_unsubscribe,
    has_postal_address: browsers.has_postal_address && outlook.has_postal_address,
    readText: () =>
      removeMarkers(
        joinText(
          masked,
          tokens.filter(({ readers }) => readers !== 'outlook'),
        ),
      ).replace(/\s+/g, ' '),
  };
}

/** Position of a token in the source, computed only for a finding. */
const createPositionReader =
  (masked: MaskedSource, { start }: HtmlToken) =>
  () =>
    unmask(masked.text.slice(0, start), masked.tags).length;

/** Reports scripts and elements that email clients remove. */
function reportElement(
  instrumenting: Instrumenting,
  masked: MaskedSource,
  token: OpeningTag,
): void {
  const html = instrumenting.source.html ?? '';
  const position = createPositionReader(masked, token);
  if (token.name === 'script' && !/json/i.test(readAttribute(masked, token, 'type') ?? '')) {
    addFinding(instrumenting, 'script', 'html', html, position);
  } else if (DANGEROUS.has(token.name)) {
    const values = { element: token.name };
    addFinding(instrumenting, 'element_unsupported', 'html', html, position, values, 'warning');
  }
}

function reportHandler(
  instrumenting: Instrumenting,
  masked: MaskedSource,
  token: OpeningTag,
): void {
  const handler = token.attributes.find((attribute) => /^on[a-z]+$/.test(attribute.name));
  if (!handler) return;
  const html = instrumenting.source.html ?? '';
  const values = { name: handler.name };
  const position = createPositionReader(masked, token);
  addFinding(instrumenting, 'event_handler', 'html', html, position, values, 'warning');
}

/**
 * Returns whether the tokens contain the unsubscribe link and the address. Callers pass the tokens
 * that Outlook shows, or those that all other clients show.
 */
function summarizeFooter(
  masked: MaskedSource,
  { street }: Instrumenting['source'],
  tokens: readonly HtmlToken[],
) {
  const usedTags = listSystemTags(masked, tokens);
  const address = street.replace(/\s+/g, ' ').trim().toLowerCase();
  const includesAddress = () =>
    joinText(masked, tokens).replace(/\s+/g, ' ').toLowerCase().includes(address);
  return {
    has_unsubscribe: usedTags.has('unsubscribe_link'),
    has_postal_address: usedTags.has('postal_address') || (address !== '' && includesAddress()),
  };
}

function joinText(masked: MaskedSource, tokens: readonly HtmlToken[]): string {
  const textTokens = tokens.filter(({ type }) => type === 'text');
  return decodeEntities(
    textTokens.map(({ start, end }) => masked.text.slice(start, end)).join(' '),
  );
}

function filterUnconditional(
  { conditions = [] }: Instrumenting['source'],
  text: string,
  tokens: readonly HtmlToken[],
): readonly HtmlToken[] {
  if (conditions.length === 0) return tokens;
  const ranges = listConditionalRanges(text);
  return tokens.filter(
    ({ start }) => !ranges.some((range) => start > range.start && start < range.end),
  );
}

function isPixel(masked: MaskedSource, token: OpeningTag): boolean {
  return (
    readAttribute(masked, token, 'width') === '1' && readAttribute(masked, token, 'height') === '1'
  );
}

/** Returns the system tags that take effect, which are outside comments, scripts and styles. */
function listSystemTags(masked: MaskedSource, tokens: readonly HtmlToken[]): Set<string> {
  const usedTags = new Set<string>();
  if (masked.tags.length === 0) return usedTags;
  for (const token of tokens) {
    if (token.type === 'raw' || token.type === 'comment') continue;
    const text = masked.text.slice(token.start, token.end);
    if (!text.includes('\ufdd0')) continue;
    for (const match of text.matchAll(/\ufdd0(\d+)\ufdd1/g)) {
      const system = masked.tags[Number(match[1])]?.expression.systemTag;
      if (system !== undefined) usedTags.add(system);
    }
  }
  return usedTags;
}
