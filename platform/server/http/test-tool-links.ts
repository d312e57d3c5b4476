// Links between the built-in test tools and to the tour in the product, shown on each tool's page.
import type { Language } from '../../languages.ts';
import { serverTexts } from '../texts.ts';

const PATHS = {
  inbox: '/inbox',
  phone: '/phone',
  cards: '/gateway',
  shop: '/shop',
  hooks: '/hook-box',
} as const;
export type LinkedTool = keyof typeof PATHS;

let running: readonly LinkedTool[] = [];

/** Sets the tools of this installation at startup. */
export function linkTestTools(tools: readonly LinkedTool[]): void {
  running = tools;
}

/** Returns the links as HTML; the page's own tool is marked as current. */
export function testToolLinks(language: Language, ownTool: LinkedTool): string {
  const t = serverTexts('platform', language);
  const links = running.map((tool) => {
    const currentAttribute = tool === ownTool ? ' aria-current="page"' : '';
    return `<a href="${PATHS[tool]}"${currentAttribute}>${t(`tools.${tool}`)}</a>`;
  });
  return `<div class="tools" role="navigation" aria-label="${t('tools.title')}">${links.join('')}<a href="/test-tools">${t('tools.tour')}</a></div>`;
}

/** Colors are inherited, so the links fit each page. */
export const TEST_TOOL_LINKS_STYLE =
  '.tools{display:flex;flex-wrap:wrap;gap:0 18px;padding:2px 24px;font-size:14px;line-height:1.5}.tools a{color:inherit;padding:8px 0;text-underline-offset:3px}.tools a[aria-current]{font-weight:600;text-decoration:none}@media (max-width:560px){.tools{padding:2px 16px}}';
