// Cleaning of rich text, which may contain few elements and styles, and of HTML blocks, which may
// contain layout. Other elements lose their tags and keep their text, except scripts, style sheets,
// text areas and options, which are removed. Only safe URL schemes remain. Merge tags are extracted
// first and restored unchanged.
import sanitize from 'sanitize-html';
import { isAddress, RICH_TAGS } from '#platform/rich-text.ts';
import { maskTags, unmask } from './html/masked-source.ts';
import {
  isWholeForOutlook,
  restoreComments,
  maskComments,
  removePlaceholders,
} from './html/outlook-comments.ts';

const COLOR = [/^#[0-9a-f]{3,8}$/i, /^rgba?\([\d\s.,%]+\)$/i, /^[a-z]{3,20}$/i];
const RENAMED: Record<string, string> = { b: 'strong', i: 'em', strike: 's', del: 's', ins: 'u' };

const richOptions: sanitize.IOptions = {
  allowedTags: [...RICH_TAGS],
  allowedAttributes: { a: ['href'], '*': ['style'] },
  allowedSchemes: ['http', 'https', 'mailto', 'tel', 'sms'],
  allowProtocolRelative: false,
  allowedStyles: {
    '*': {
      color: COLOR,
      'background-color': COLOR,
      'font-size': [/^\d{1,2}(\.\d+)?px$/],
      'text-align': [/^(start|center|end|left|right|justify)$/],
    },
  },
  transformTags: {
    ...Object.fromEntries(
      Object.entries(RENAMED).map(([from, to]) => [from, sanitize.simpleTransform(to, {})]),
    ),
    a: (_, { href = '', ...rest }): sanitize.Tag =>
      href !== '' && isAddress(href.replace(/^\s*\ufdd0\d+\ufdd1/, 'https://masked/'))
        ? { tagName: 'a', attribs: { ...rest, href } }
        : { tagName: 'span', attribs: rest },
  },
  nestingLimit: 30,
};

/**
 * Elements allowed in HTML blocks. They include layout, but not scripts, forms, or elements that
 * could affect the email outside the block.
 */
const BLOCK_TAGS = (
  'a abbr address article aside b bdi bdo big blockquote br caption center cite code col colgroup dd del dfn div dl dt ' +
  'em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark nav ol p pre q s samp section ' +
  'small span strike strong sub sup table tbody td tfoot th thead time tr tt u ul var wbr'
).split(' ');

const blockOptions: sanitize.IOptions = {
  allowedTags: BLOCK_TAGS,
  allowedAttributes: {
    '*': (
      'align alt bgcolor border cellpadding cellspacing class color colspan dir face height href id lang ' +
      'role rowspan size src style title valign width background target aria-* data-*'
    ).split(' '),
  },
  allowedSchemes: ['http', 'https', 'mailto', 'tel', 'sms'],
  allowedSchemesByTag: { img: ['http', 'https', 'data', 'cid'] },
  allowProtocolRelative: true,
  parseStyleAttributes: false,
  nestingLimit: 100,
};

export function cleanRichText(html: string): string {
  return sanitizeMasked(html, richOptions);
}

const BLOCK_TAG_NAMES: ReadonlySet<string> = new Set(BLOCK_TAGS);

/** Cleans an HTML block and closes open elements, so that it cannot break the surrounding email. */
export function cleanBlockHtml(html: string): string {
  return sanitizeMasked(html, blockOptions);
}

/**
 * Cleans HTML like `cleanBlockHtml`, but keeps conditional comments for Outlook, unless Outlook
 * would then get a broken email.
 */
export function cleanEmailHtml(html: string): string {
  const masked = maskTags(html, true);
  const withoutComments = maskComments(masked.text, BLOCK_TAG_NAMES);
  const cleanWithoutTags = () => removePlaceholders(cleanBlockHtml(html));
  if (withoutComments.comments.length === 0) return cleanWithoutTags();
  const createTextFilter = (text: string) => restoreComments(text, withoutComments);
  const clean = removePlaceholders(
    sanitize(withoutComments.text, { ...blockOptions, textFilter: createTextFilter }),
  );
  return isWholeForOutlook(clean) ? unmask(clean, masked.tags) : cleanWithoutTags();
}

function sanitizeMasked(html: string, options: sanitize.IOptions): string {
  const masked = maskTags(html, true);
  return unmask(sanitize(masked.text, options), masked.tags);
}

/**
 * Removes the paragraphs that editors put into list items, because email clients would show their
 * margins.
 */
export function unwrapListItems(html: string): string {
  return html.replace(/<li([^<>]*)>\s*<p\b[^<>]*>((?:(?!<\/?p\b).)*)<\/p>/gs, '<li$1>$2');
}
