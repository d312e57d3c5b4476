// Converts links between the Markdown files to addresses of the site. Links to files of the
// repository that are not pages of the site become plain text.
import { join, posix, relative } from 'node:path';
import type { MarkdownOptions } from 'vitepress';

type Markdown = Parameters<NonNullable<MarkdownOptions['config']>>[0];

const ROOT = join(import.meta.dirname, '..');

/** Returns the path of a Markdown file on the site: `campaigns.md` for `guide/campaigns.md`. */
export const toSitePath = (file: string): string => file.replace(/^guide\//, '');

export function resolveLinks(md: Markdown, isPage: (file: string) => boolean): void {
  md.core.ruler.push('page-links', (state) => {
    // VitePress sets `realPath`, the path of the file, only if it differs from `path`, the path on
    // the site.
    const { path = '', realPath = path } = state.env as { path?: string; realPath?: string };
    const file = relative(ROOT, realPath).replaceAll('\\', '/');
    for (const block of state.tokens) {
      let isOutside = false;
      for (const token of block.children ?? []) {
        if (token.type === 'link_open') {
          const address = resolveSiteLink(token.attrGet('href') ?? '', file, isPage);
          isOutside = address === undefined;
          if (address !== undefined) token.attrSet('href', address);
        }
        const isEnd = token.type === 'link_close';
        if (isOutside && token.type.startsWith('link_')) token.type = 'text';
        if (isEnd) isOutside = false;
      }
    }
  });
}

/**
 * Returns the site's address for a link in this file of docs/; undefined for a link to a file that
 * is not part of the site.
 */
export function resolveSiteLink(
  href: string,
  file: string,
  isPage: (file: string) => boolean,
): string | undefined {
  if (/^(?:[a-z]+:|#|\/)/.test(href)) return href;
  const target = posix.join(posix.dirname(file), href);
  return isPage(target.split('#', 1)[0] ?? '') ? `/${toSitePath(target)}` : undefined;
}
