// Reads metadata of a web page: name, theme color, possible logos, image for link previews, style
// sheets.
import { type DefaultTreeAdapterMap, parse } from 'parse5';
import { parseJson } from '#platform/server/clean-text.ts';

type Node = DefaultTreeAdapterMap['node'];
type Element = DefaultTreeAdapterMap['element'];

export type PageProfile = {
  name: string;
  /** The page's theme color; '' if there is none. */
  theme: string;
  /** URLs of possible logos, the most likely first. */
  logoUrls: string[];
  /** URL of the image for link previews; '' if there is none. */
  image: string;
  styleSheetUrls: string[];
  /** Embedded style sheets. */
  css: string;
};

const MAX_NAME_LENGTH = 60;
const MAX_LOGOS = 6;
const MAX_SHEETS = 2;
const LOGO = /logo|brand/i;
/** Separators between the name and a slogan in a page's title: "Tea & more | Storgata Tea". */
const BETWEEN = /(?<!\s)\s+[|·•–—-]\s+|(?<!\s)\s*[:»]\s+/;

/** @param address URL of the page, the base of its links */
export function parsePageProfile(html: string, address: string): PageProfile {
  const tags: PageTags = {
    metaTags: new Map(),
    title: '',
    css: '',
    styleSheetUrls: [],
    icons: [],
    structuredLogoUrls: [],
    logoImageUrls: [],
  };
  for (const element of walkElements(parse(html))) {
    if (Object.hasOwn(READERS, element.tagName)) READERS[element.tagName]?.(tags, element);
  }
  const { metaTags } = tags;
  const icons = tags.icons.toSorted((a, b) => b.size - a.size).map(({ href }) => href);
  const toAbsoluteUrls = (links: string[]) => [
    ...new Set(links.map((link) => URL.parse(link, address)?.href ?? '').filter(isWeb)),
  ];
  const [picture = ''] = toAbsoluteUrls([metaTags.get('og:image') ?? '']);
  return {
    name: selectName(metaTags, tags.title, address),
    theme: metaTags.get('theme-color') ?? '',
    logoUrls: toAbsoluteUrls(
      [...tags.structuredLogoUrls, ...tags.logoImageUrls, ...icons].filter(Boolean),
    ).slice(0, MAX_LOGOS),
    image: picture === address ? '' : picture,
    styleSheetUrls: toAbsoluteUrls(tags.styleSheetUrls.filter(Boolean)).slice(0, MAX_SHEETS),
    css: tags.css,
  };
}

/** Contents of the elements of a page. */
type PageTags = {
  metaTags: Map<string, string>;
  title: string;
  css: string;
  styleSheetUrls: string[];
  icons: { href: string; size: number }[];
  /** From structured data. */
  structuredLogoUrls: string[];
  /** Images that look like a logo. */
  logoImageUrls: string[];
};

const READERS: Record<string, (tags: PageTags, element: Element) => void> = {
  meta: ({ metaTags }, element) => {
    const name = readAttributeValue(element, 'property') || readAttributeValue(element, 'name');
    metaTags.set(name.toLowerCase(), readAttributeValue(element, 'content'));
  },
  title: (tags, element) => {
    if (tags.title === '') tags.title = readText(element);
  },
  style: (tags, element) => {
    tags.css += readText(element);
  },
  script: ({ structuredLogoUrls }, element) => {
    if (readAttributeValue(element, 'type') === 'application/ld+json')
      structuredLogoUrls.push(...listLogos(readText(element)).slice(0, MAX_LOGOS));
  },
  link: readLink,
  img: ({ logoImageUrls }, element) => {
    const readAttribute = (name: string) => readAttributeValue(element, name);
    const description = [
      readAttribute('class'),
      readAttribute('id'),
      readAttribute('alt'),
      readAttribute('src'),
    ].join(' ');
    if (LOGO.test(description))
      logoImageUrls.push(readAttribute('src') || readAttribute('data-src'));
  },
};

function readLink({ styleSheetUrls, icons }: PageTags, element: Element): void {
  const href = readAttributeValue(element, 'href');
  const relations = readAttributeValue(element, 'rel').toLowerCase().split(/\s+/);
  if (relations.includes('stylesheet')) styleSheetUrls.push(href);
  const isIcon = relations.includes('icon');
  if (!isIcon && !relations.includes('apple-touch-icon')) return;
  const size = Number.parseInt(readAttributeValue(element, 'sizes'), 10) || (isIcon ? 16 : 180);
  const isSvg = readAttributeValue(element, 'type').includes('svg') || /\.svg(\?|$)/.test(href);
  icons.push({ href, size: isSvg ? 512 : size });
}

/** Returns an attribute's value, or '' if there is none. */
const readAttributeValue = (element: Element, name: string) =>
  element.attrs.find((attr) => attr.name === name)?.value.trim() ?? '';

const isWeb = (address: string) => /^https?:/.test(address);

function selectName(metas: Map<string, string>, title: string, address: string): string {
  const { hostname } = new URL(address);
  const host = hostname.replace(/^www\./, '');
  const [label = ''] = host.split('.');
  const siteName = metas.get('og:site_name') || metas.get('application-name');
  const titleParts = title.split(BETWEEN).map((part) => part.trim());
  const key = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  // Without a declared name: the part of the title that equals the first label of the host name,
  // otherwise the shortest part.
  const matchingPart = titleParts.find((part) => key(part) !== '' && key(part) === key(label));
  const shortestPart = titleParts.filter(Boolean).toSorted((a, b) => a.length - b.length)[0];
  const name = siteName || matchingPart || shortestPart || host;
  return [...name.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()].slice(0, MAX_NAME_LENGTH).join('');
}

/** URLs of logos in structured data. */
function listLogos(json: string): string[] {
  const logoUrls: string[] = [];
  const visit = (value: unknown, depth: number) => {
    if (typeof value !== 'object' || value === null || depth > 6) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'logo') {
        const url = typeof inner === 'string' ? inner : (inner as { url?: unknown } | null)?.url;
        if (typeof url === 'string') logoUrls.push(url);
      } else visit(inner, depth + 1);
    }
  };
  try {
    visit(parseJson(json), 0);
  } catch {
    return [];
  }
  return logoUrls;
}

function* walkElements(root: Node): Generator<Element> {
  const waiting: Node[] = [root];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if ('tagName' in node) yield node;
    // Pushed one by one: spreading the children of a large page into one call would overflow the
    // stack.
    if ('childNodes' in node) for (const child of node.childNodes.toReversed()) waiting.push(child);
  }
}

function readText(element: Element): string {
  return element.childNodes.map((child) => ('value' in child ? child.value : '')).join('');
}
