// Double braces of a page are merge tags, which Vue would evaluate as its own expressions. Blocks of
// code are exempt already.
import type { MarkdownOptions } from 'vitepress';

type Markdown = Parameters<NonNullable<MarkdownOptions['config']>>[0];

export function escapeBraces(md: Markdown): void {
  const escape = (text = '') => md.utils.escapeHtml(text).replaceAll('{{', '&#123;&#123;');
  md.renderer.rules.text = (tokens, at) => escape(tokens[at]?.content);
  md.renderer.rules.code_inline = (tokens, at) => `<code>${escape(tokens[at]?.content)}</code>`;
}
