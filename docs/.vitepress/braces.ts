// Keeps Vue from evaluating the double braces of merge tags in a page. VitePress already exempts
// code blocks.
import type { MarkdownOptions } from 'vitepress';

type Markdown = Parameters<NonNullable<MarkdownOptions['config']>>[0];

export function escapeBraces(md: Markdown): void {
  const escape = (text = '') => md.utils.escapeHtml(text).replaceAll('{{', '&#123;&#123;');
  md.renderer.rules.text = (tokens, at) => escape(tokens[at]?.content);
  md.renderer.rules.code_inline = (tokens, at) => `<code>${escape(tokens[at]?.content)}</code>`;
}
