// Links of a page to files of the repository that are no pages of the site become plain text.
import { posix } from 'node:path';
import type { MarkdownOptions } from 'vitepress';

type Markdown = Parameters<NonNullable<MarkdownOptions['config']>>[0];

export function unlinkOutside(md: Markdown, isPage: (page: string) => boolean): void {
  md.core.ruler.push('unlink-outside', (state) => {
    const from = posix.dirname((state.env as { relativePath?: string }).relativePath ?? '');
    for (const block of state.tokens) {
      let isOutside = false;
      for (const token of block.children ?? []) {
        if (token.type === 'link_open') {
          const [target = ''] = (token.attrGet('href') ?? '').split('#');
          isOutside =
            target !== '' &&
            !/^[a-z]+:/.test(target) &&
            !isInside(posix.join(from, target), isPage);
        }
        const isEnd = token.type === 'link_close';
        if (isOutside && token.type.startsWith('link_')) token.type = 'text';
        if (isEnd) isOutside = false;
      }
    }
  });
}

function isInside(target: string, isPage: (page: string) => boolean): boolean {
  return target.endsWith('.md') && !target.startsWith('..') && isPage(target);
}
