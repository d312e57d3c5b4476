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

/**
 * Returns the chunk of texts that several areas load together, such as `choosing-eng` for
 * `locales/eng/folders.json`.
 */
function textsWith(module: string): string | null {
  const [, language, name = ''] = /[\\/]locales[\\/](\w+)[\\/]([\w.-]+)\.json$/.exec(module) ?? [];
  const group = Object.entries(textGroups).find(([, names]) => names.includes(name));
  return group === undefined ? null : `${group[0]}-${language}`;
}

/**
 * Returns the chunk of an area's styles, such as `audience-styles`; the styles of the shared editor
 * components are in that of the content area. Browsers fetch styles before scripts, six files at a
 * time, so ten small style files would delay every script by two round trips.
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
            // Styles of the components that many screens use and the dashboard does not. The styles
            // of all other components are in the chunks of the screens that use them.
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
            // Small parts of the dashboard that other screens use as well. They form one chunk
            // because on a phone, an additional file delays the first load more than icons that
            // only other screens need.
            { name: 'first-parts', test: isFirstPart, priority: 1, minShareCount: 2 },
            // Icons that several screens use form one chunk, because each has a few hundred bytes.
            { name: 'icons', test: /@tabler[\\/]/, minShareCount: 2 },
            // Small components that many screens share form one chunk, and so does code that
            // editors share (below): on a phone, another round trip takes longer than a kilobyte
            // that may be unnecessary. A chunk also includes what its modules import. Components
            // that import `ui` are therefore separate from those of the dashboard, which does not
            // use `ui`, and code that other screens use is separate from code that only editors
            // use.
            {
              name: 'more-ui',
              test: /@mantine[\\/]core[\\/]esm[\\/]components[\\/](Drawer|Badge|NumberInput)[\\/]|@mantine[\\/]hooks[\\/]esm[\\/]use-move[\\/]|platform[\\/]web[\\/](ui[\\/]((bottom-)?sheet|suggest-field|email-input|form-dialog|work-bar|copy-button|choice-menu|row-menu\.module)|session[\\/]use-(unsaved|kept-form)|forms|editing[\\/](stale-notice|step-|emoji))/,
            },
            // Displays addresses in tables; the dashboard does not need it.
            {
              name: 'domains',
              priority: 1,
              test: /node_modules[\\/]punycode\.js[\\/]|[\\/]platform[\\/]domain-display\./,
            },
            // Used by onboarding, settings and forms with web addresses, not by the first screens.
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
            // Used only by editors.
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
