// What the checks want to know of HTML: its way out, its postal address, its images, its words.
import { conditionalRanges, withoutMarkers } from './conditions.ts';
import { type Opening, valueOf } from './html-parts.ts';
import { decodeEntities, type HtmlToken } from './html-scanner.ts';
import { addFinding, type Instrumenting } from './instrumenting.ts';
import { type Masked, unmask } from './masked-source.ts';

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

export function factsOf(
  instrumenting: Instrumenting,
  masked: Masked,
  tokens: readonly HtmlToken[],
): HtmlFacts {
  const { source } = instrumenting;
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
      addFinding(instrumenting, 'script', 'html', html, at);
    } else if (DANGEROUS.has(token.name)) {
      addFinding(
        instrumenting,
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
      addFinding(
        instrumenting,
        'event_handler',
        'html',
        html,
        at,
        { name: handler.name },
        'warning',
      );
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
  { conditions = [] }: Instrumenting['source'],
  text: string,
  tokens: readonly HtmlToken[],
): readonly HtmlToken[] {
  if (conditions.length === 0) return tokens;
  const ranges = conditionalRanges(text);
  return tokens.filter(
    ({ start }) => !ranges.some((range) => start > range.start && start < range.end),
  );
}

function isPixel(masked: Masked, token: Opening): boolean {
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
