// Facts of a website's page: name, color, possible logos, style sheets.
import { type DefaultTreeAdapterMap, parse } from 'parse5';
import { parseJson } from '#platform/server/clean-text.ts';

type Node = DefaultTreeAdapterMap['node'];
type Element = DefaultTreeAdapterMap['element'];

export type PageFacts = {
  name: string;
  /** The page's theme color; '' without one. */
  theme: string;
  /** URLs of possible logos, the most likely first. */
  logos: string[];
  /** Image for link previews. */
  picture: string;
  sheets: string[];
  /** Embedded style sheets. */
  css: string;
};

const MAX_NAME = 60;
const MAX_LOGOS = 6;
const MAX_SHEETS = 2;
const LOGO = /logo|brand/i;
/** "Tea & more | Storgata Tea": the other part of a title is a slogan. */
const BETWEEN = /(?<!\s)\s+[|·•–—-]\s+|(?<!\s)\s*[:»]\s+/;

/** @param address URL of the page, the base of its links */
export function pageFacts(html: string, address: string): PageFacts {
  const found = { icons: [] as { href: string; size: number }[], marks: [] as string[], css: '' };
  const metas = new Map<string, string>();
  const sheets: string[] = [];
  const described: string[] = [];
  let title = '';
  for (const element of elementsOf(parse(html))) {
    const of = (name: string) =>
      element.attrs.find((attr) => attr.name === name)?.value.trim() ?? '';
    const tag = element.tagName;
    if (tag === 'meta') metas.set((of('property') || of('name')).toLowerCase(), of('content'));
    else if (tag === 'title' && title === '') title = textOf(element);
    else if (tag === 'style') found.css += textOf(element);
    else if (tag === 'script' && of('type') === 'application/ld+json')
      described.push(...logosOf(textOf(element)).slice(0, MAX_LOGOS));
    else if (tag === 'link') {
      const kinds = of('rel').toLowerCase().split(/\s+/);
      if (kinds.includes('stylesheet')) sheets.push(of('href'));
      if (kinds.includes('icon') || kinds.includes('apple-touch-icon')) {
        const size = Number.parseInt(of('sizes'), 10) || (kinds.includes('icon') ? 16 : 180);
        const isSvg = of('type').includes('svg') || /\.svg(\?|$)/.test(of('href'));
        found.icons.push({ href: of('href'), size: isSvg ? 512 : size });
      }
    } else if (tag === 'img') {
      const description = [of('class'), of('id'), of('alt'), of('src')].join(' ');
      if (LOGO.test(description)) found.marks.push(of('src') || of('data-src'));
    }
  }
  const icons = found.icons.toSorted((a, b) => b.size - a.size).map(({ href }) => href);
  const whole = (links: string[]) => [
    ...new Set(links.map((link) => URL.parse(link, address)?.href ?? '').filter(isWeb)),
  ];
  const [picture = ''] = whole([metas.get('og:image') ?? '']);
  return {
    name: nameOf(metas, title, address),
    theme: metas.get('theme-color') ?? '',
    logos: whole([...described, ...found.marks, ...icons].filter(Boolean)).slice(0, MAX_LOGOS),
    picture: picture === address ? '' : picture,
    sheets: whole(sheets.filter(Boolean)).slice(0, MAX_SHEETS),
    css: found.css,
  };
}

const isWeb = (address: string) => /^https?:/.test(address);

function nameOf(metas: Map<string, string>, title: string, address: string): string {
  const { hostname } = new URL(address);
  const host = hostname.replace(/^www\./, '');
  const [label = ''] = host.split('.');
  const siteName = metas.get('og:site_name') || metas.get('application-name');
  const parts = title.split(BETWEEN).map((part) => part.trim());
  const key = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  // The part of the title that equals the host name, else the shortest.
  const alike = parts.find((part) => key(part) !== '' && key(part) === key(label));
  const short = parts.filter(Boolean).toSorted((a, b) => a.length - b.length)[0];
  const name = siteName || alike || short || host;
  return [...name.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()].slice(0, MAX_NAME).join('');
}

/** Logo of the organization in structured data. */
function logosOf(json: string): string[] {
  const found: string[] = [];
  const visit = (value: unknown, depth: number) => {
    if (typeof value !== 'object' || value === null || depth > 6) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'logo') {
        const url = typeof inner === 'string' ? inner : (inner as { url?: unknown } | null)?.url;
        if (typeof url === 'string') found.push(url);
      } else visit(inner, depth + 1);
    }
  };
  try {
    visit(parseJson(json), 0);
  } catch {
    return [];
  }
  return found;
}

function* elementsOf(root: Node): Generator<Element> {
  const waiting: Node[] = [root];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if ('tagName' in node) yield node;
    // A spread of all children into one call would overflow the stack for pages with many.
    if ('childNodes' in node) for (const child of node.childNodes.toReversed()) waiting.push(child);
  }
}

function textOf(element: Element): string {
  return element.childNodes.map((child) => ('value' in child ? child.value : '')).join('');
}
