// The site of the user guide, the operations pages and the API pages, built by `npm run build` and
// served by the product at /guide: no inline scripts, no requests to other hosts.
import { writeFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { defineConfig } from 'vitepress';
import { escapeBraces } from './braces.ts';
import { resolveLinks, toSitePath } from './page-links.ts';
import { SECTIONS } from './sections.ts';
import { toSlug } from './slug.ts';

/** The inline scripts of the theme that run before the page is shown are written into one file. */
const EARLY_SCRIPTS = /<script id="check-[\w-]+">([\s\S]*?)<\/script>/g;
const earlyScripts = new Set<string>();

/**
 * Files that are not part of the site: decisions for developers, and figures that become outdated.
 */
const OUTSIDE = ['decisions/**', 'glossaries/**', 'benchmarks.md', 'roadmap.md'];

const isPage = (file: string) =>
  /^[^.].*\.md$/.test(file) && !OUTSIDE.some((pattern) => matchesGlob(file, pattern));

export default defineConfig({
  title: 'Sendloom guide',
  description: 'How to use and run Sendloom.',
  lang: 'en',
  base: '/guide/',
  srcDir: '.',
  srcExclude: OUTSIDE,
  rewrites: toSitePath,
  outDir: process.env.GUIDE_FOLDER ?? '../dist/guide',
  cacheDir: '../node_modules/.cache/vitepress',
  cleanUrls: true,
  lastUpdated: false,
  // Prevents the preload of fonts from another host.
  useWebFonts: false,
  head: [
    ['link', { rel: 'icon', href: '/favicon.svg', type: 'image/svg+xml' }],
    ['script', { src: '/guide/early.js' }],
  ],
  transformHtml: (html) =>
    html.replace(EARLY_SCRIPTS, (_, script: string) => {
      earlyScripts.add(script);
      return '';
    }),
  buildEnd: ({ outDir }) => writeFileSync(join(outDir, 'early.js'), [...earlyScripts].join('\n')),
  markdown: {
    // Placeholders such as <id> are text, not components.
    html: false,
    anchor: { slugify: toSlug },
    config: (md) => {
      resolveLinks(md, isPage);
      escapeBraces(md);
    },
  },
  themeConfig: {
    siteTitle: 'Sendloom guide',
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: SECTIONS,
    docFooter: { prev: 'Previous', next: 'Next' },
    socialLinks: [],
  },
});
