// Builds the web client; in development it proxies calls to the server.
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import textGroups from './main/text-groups.json' with { type: 'json' };
import { componentStylesPlugin } from './main/web-client/component-styles.ts';
import { firstTextsPlugin } from './main/web-client/first-texts.ts';
import product from './package.json' with { type: 'json' };

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const server = process.env.SERVER_URL ?? 'http://127.0.0.1:3000';
const FORWARDED = [
  '/client-api',
  '/auth/api',
  '/v2',
  '/inbox',
  '/t/',
  '/u/',
  '/v/',
  '/f/',
  '/hooks',
  '/docs',
  '/guide',
  '/health',
  '/ready',
  '/metrics',
  '/manifest.webmanifest',
];

/** `choosing-eng` for `locales/eng/folders.json`: texts that several areas load together. */
function textsWith(module: string): string | null {
  const [, language, name = ''] = /[\\/]locales[\\/](\w+)[\\/]([\w.-]+)\.json$/.exec(module) ?? [];
  const group = Object.entries(textGroups).find(([, names]) => names.includes(name));
  return group === undefined ? null : `${group[0]}-${language}`;
}

/**
 * `audience-styles`: the styles of an area form one file; those of editors belong to content.
 * Browsers fetch styles before scripts, six files at a time: ten small ones delay every script by
 * two round trips.
 */
function stylesOf(module: string): string | null {
  if (!/\.css(?:$|\?)/.test(module)) return null;
  if (/[\\/]platform[\\/]web[\\/]editing[\\/]|styles[\\/](?:Color|Image)/.test(module))
    return 'content-styles';
  const [, area] = /[\\/]areas[\\/](\w+)[\\/]/.exec(module) ?? [];
  return area === undefined ? null : `${area}-styles`;
}

const FIRST_PARTS =
  /[\\/](areas[\\/]tracking[\\/]shared|platform[\\/]web[\\/]ui[\\/](screen-link|test-tools))\.tsx?$/;
const DASHBOARD = ['areas/dashboard/web/*.tsx', 'platform/web/ui/{page,states,test-tools}.tsx'];
const DASHBOARD_ICONS = new Set(
  globSync(DASHBOARD, { cwd: here('.') }).flatMap(
    (file) => readFileSync(here(file), 'utf8').match(/\bIcon[A-Z]\w+/g) ?? [],
  ),
);

function isFirstPart(module: string): boolean {
  const [, icon = ''] = /[\\/]@tabler[\\/].*[\\/](Icon\w+)\.mjs$/.exec(module) ?? [];
  return DASHBOARD_ICONS.has(icon) || FIRST_PARTS.test(module);
}

const CONTROL_STYLES = /[\\/]@mantine[\\/].*\.css$/;

export default defineConfig({
  root: here('./main/web-client'),
  publicDir: here('./platform/web/public'),
  plugins: [firstTextsPlugin(), componentStylesPlugin(), react()],
  define: { 'import.meta.env.RELEASE': JSON.stringify(product.version) },
  build: {
    outDir: here('./dist/web'),
    emptyOutDir: true,
    target: 'es2022',
    manifest: true,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 800,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Entry points only re-export: importing one symbol must not load the whole area.
      treeshake: {
        moduleSideEffects: [
          { test: /[\\/]areas[\\/][^\\/]+[\\/]web[\\/]index\.tsx?$/, sideEffects: false },
        ],
      },
      output: {
        codeSplitting: {
          groups: [
            // Libraries change only with their versions, so they stay in the browser's cache across
            // our releases.
            {
              name: 'vendor',
              priority: 5,
              tags: ['$initial'],
              test: /node_modules[\\/](react|react-dom|scheduler|@tanstack|i18next|react-i18next)[\\/]/,
            },
            { name: 'shell', priority: 4, tags: ['$initial'] },
            { name: textsWith, debugName: 'texts', priority: 4 },
            { name: stylesOf, debugName: 'styles', priority: 4 },
            // Styles of the components that many screens use and the dashboard does not; those of
            // other components belong to their screens.
            { name: 'control-styles', test: CONTROL_STYLES, priority: 4, minShareCount: 5 },
            // The base component of all fields is in the initial load. Lists have a chunk without
            // overlays, which load when the page is idle (preload.ts) as one chunk instead of
            // forty.
            {
              name: 'fields',
              priority: 3,
              test: /@mantine[\\/]core[\\/]esm[\\/](components[\\/](Title|Input|InputBase|TextInput|CloseButton|NativeSelect)[\\/]|components[\\/]Combobox[\\/](get-parsed-combobox-data|ComboboxChevron))|@mantine[\\/]hooks[\\/]esm[\\/]use-id[\\/]|platform[\\/]web[\\/](texts[\\/]persian-calendar|ui[\\/](page|persian-day))\./,
            },
            {
              name: 'lists',
              priority: 2,
              test: /@mantine[\\/]core[\\/]esm[\\/]components[\\/](Alert|Badge|Checkbox|Group|InlineInput|Pagination|Stack)[\\/]|platform[\\/]web[\\/]ui[\\/](confirm|data-table|dots-button|late-|page-links|row-menu|search-field|selection-bar|sort-control|status-dot)/,
              minShareCount: 5,
            },
            {
              name: 'ui',
              priority: 1,
              test: /node_modules[\\/](@mantine|@floating-ui|react-remove-scroll|react-remove-scroll-bar|react-style-singleton|use-sidecar|use-callback-ref|tabbable|clsx)[\\/]|platform[\\/]web[\\/]ui[\\/](data-table|row-menu|dots-button|status-dot|sheet|bottom-sheet|searchable-select|page-links|confirm|save-state)/,
              minShareCount: 14,
            },
            // Small parts of the dashboard that other screens use as well: on a phone, each file of
            // the first load costs more than the bytes of another screen's icons.
            { name: 'first-parts', test: isFirstPart, priority: 1, minShareCount: 2 },
            // A few hundred bytes each: one chunk for icons that several screens use.
            { name: 'icons', test: /@tabler[\\/]/, minShareCount: 2 },
            // The same applies to small components shared by many screens, and to code shared by
            // editors: on a phone, another round trip takes longer than a kilobyte that may be
            // unnecessary. Each chunk includes its dependencies, so code that needs `ui` is
            // separate (the dashboard does not use it), and so is code used beyond the editors.
            {
              name: 'more-ui',
              test: /@mantine[\\/]core[\\/]esm[\\/]components[\\/](Drawer|Badge|NumberInput)[\\/]|@mantine[\\/]hooks[\\/]esm[\\/]use-move[\\/]|platform[\\/]web[\\/](ui[\\/]((bottom-)?sheet|suggest-field|email-input|form-dialog|work-bar|copy-button|choice-menu|row-menu\.module)|session[\\/]use-(unsaved|kept-form)|forms|editing[\\/](stale-notice|step-|emoji))/,
            },
            // Addresses in tables; the dashboard does without.
            {
              name: 'domains',
              priority: 1,
              test: /node_modules[\\/]punycode\.js[\\/]|[\\/]platform[\\/]domain-display\./,
            },
            // Onboarding, settings and forms with web addresses; the first screens do without.
            {
              name: 'addresses',
              priority: 1,
              test: /node_modules[\\/](ipaddr\.js|postcode-validator)[\\/]|platform[\\/]public-address\.|areas[\\/]accounts[\\/]validation\./,
            },
            {
              name: 'common',
              test: /[\\/]platform[\\/](?!web[\\/](editing|ui)[\\/])|areas[\\/](groups[\\/]web[\\/]|content[\\/]web[\\/]queries\.)/,
              minShareCount: 5,
            },
            // Used by email settings, reviews and editors.
            {
              name: 'composing',
              test: /areas[\\/](content|broadcasts)[\\/]|platform[\\/]web[\\/]editing[\\/]/,
              minShareCount: 10,
            },
            // Parts of the editors alone.
            {
              name: 'editors',
              test: /areas[\\/]content[\\/]web[\\/](canvas|inspector|images|brand|tree|drag|store|block)|platform[\\/]web[\\/]editing[\\/]rich[\\/]|node_modules[\\/](zustand|w3c-keyname)[\\/]/,
              minShareCount: 2,
            },
            // Used by email and form editors, and by screens next to them.
            {
              name: 'editing',
              test: /areas[\\/]content[\\/](?!web[\\/]coupons)|platform[\\/]web[\\/](editing[\\/]|ui[\\/]save-state)/,
              minShareCount: 4,
            },
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      FORWARDED.map((path) => [path, { target: server, changeOrigin: false }]),
    ),
  },
});
