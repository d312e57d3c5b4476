// Facts of a website's page: name, theme color, possible logos, image for link previews, style
// sheets.
import { type DefaultTreeAdapterMap, parse } from 'parse5';
import { parseJson } from '#platform/server/clean-text.ts';

type Node = DefaultTreeAdapterMap['node'];
type Element = DefaultTreeAdapterMap['element'];

export type PageFacts = {
  name: string;
  /** The page's theme color; '' if there is none. */
  theme: string;
  /** URLs of possible logos, the most likely first. */
  logos: string[];
  /** URL of the image for link previews; '' if there is none. */
  picture: string;
  sheets: string[];
  /** Embedded style sheets. */
  css: string;
};

const MAX_NAME = 60;
const MAX_LOGOS = 6;
const MAX_SHEETS = 2;
const LOGO = /logo|brand/i;
/** Separators between the name and a slogan in a page's title: "Tea & more | Storgata Tea". */
const BETWEEN = /(?<!\s)\s+[|·•–—-]\s+|(?<!\s)\s*[:»]\s+/;

/** @param address URL of the page, the base of its links */
export function parsePageFacts(html: string, address: string): PageFacts {
  const found: FoundTags = {
    metas: new Map(),
    title: '',
    css: '',
    sheets: [],
    icons: [],
    logos: [],
    marks: [],
  };
  for (const element of elementsOf(parse(html))) {
    if (Object.hasOwn(READERS, element.tagName)) READERS[element.tagName]?.(found, element);
  }
  const { metas } = found;
  const icons = found.icons.toSorted((a, b) => b.size - a.size).map(({ href }) => href);
  const absoluteUrls = (links: string[]) => [
    ...new Set(links.map((link) => URL.parse(link, address)?.href ?? '').filter(isWeb)),
  ];
  const [picture = ''] = absoluteUrls([metas.get('og:image') ?? '']);
  return {
    name: nameOf(metas, found.title, address),
    theme: metas.get('theme-color') ?? '',
    logos: absoluteUrls([...found.logos, ...found.marks, ...icons].filter(Boolean)).slice(
      0,
      MAX_LOGOS,
    ),
    picture: picture === address ? '' : picture,
    sheets: absoluteUrls(found.sheets.filter(Boolean)).slice(0, MAX_SHEETS),
    css: found.css,
  };
}

/** Contents of the elements of a page. */
type FoundTags = {
  metas: Map<string, string>;
  title: string;
  css: string;
  sheets: string[];
  icons: { href: string; size: number }[];
  /** From structured data. */
  logos: string[];
  /** Images that look like a logo. */
  marks: string[];
};

const READERS: Record<string, (found: FoundTags, element: Element) => void> = {
  meta: ({ metas }, element) => {
    const name = valueOf(element, 'property') || valueOf(element, 'name');
    metas.set(name.toLowerCase(), valueOf(element, 'content'));
  },
  title: (found, element) => {
    if (found.title === '') found.title = textOf(element);
  },
  style: (found, element) => {
    found.css += textOf(element);
  },
  script: ({ logos }, element) => {
    if (valueOf(element, 'type') === 'application/ld+json')
      logos.push(...logosOf(textOf(element)).slice(0, MAX_LOGOS));
  },
  link: readLink,
  img: ({ marks }, element) => {
    const of = (name: string) => valueOf(element, name);
    const description = [of('class'), of('id'), of('alt'), of('src')].join(' ');
    if (LOGO.test(description)) marks.push(of('src') || of('data-src'));
  },
};

function readLink({ sheets, icons }: FoundTags, element: Element): void {
  const href = valueOf(element, 'href');
  const kinds = valueOf(element, 'rel').toLowerCase().split(/\s+/);
  if (kinds.includes('stylesheet')) sheets.push(href);
  const isIcon = kinds.includes('icon');
  if (!isIcon && !kinds.includes('apple-touch-icon')) return;
  const size = Number.parseInt(valueOf(element, 'sizes'), 10) || (isIcon ? 16 : 180);
  const isSvg = valueOf(element, 'type').includes('svg') || /\.svg(\?|$)/.test(href);
  icons.push({ href, size: isSvg ? 512 : size });
}

/** Value of an attribute; '' if there is none. */
const valueOf = (element: Element, name: string) =>
  element.attrs.find((attr) => attr.name === name)?.value.trim() ?? '';

const isWeb = (address: string) => /^https?:/.test(address);

function nameOf(metas: Map<string, string>, title: string, address: string): string {
  const { hostname } = new URL(address);
  const host = hostname.replace(/^www\./, '');
  const [label = ''] = host.split('.');
  const siteName = metas.get('og:site_name') || metas.get('application-name');
  const parts = title.split(BETWEEN).map((part) => part.trim());
  const key = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  // Without a declared name: the part of the title that equals the first label of the host name,
  // otherwise the shortest part.
  const repeated = parts.find((part) => key(part) !== '' && key(part) === key(label));
  const short = parts.filter(Boolean).toSorted((a, b) => a.length - b.length)[0];
  const name = siteName || repeated || short || host;
  return [...name.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()].slice(0, MAX_NAME).join('');
}

/** URLs of logos in structured data. */
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
    // Pushed one by one: spreading the children of a large page into one call would overflow the
    // stack.
    if ('childNodes' in node) for (const child of node.childNodes.toReversed()) waiting.push(child);
  }
}

function textOf(element: Element): string {
  return element.childNodes.map((child) => ('value' in child ? child.value : '')).join('');
}
