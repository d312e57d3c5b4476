// Builds the browser's part of the product; in development it forwards calls to the server.
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { firstTexts } from './main/web-client/first-texts.ts';
import product from './package.json' with { type: 'json' };

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const server = process.env.SERVER_URL ?? 'http://127.0.0.1:3000';
const forwarded = [
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
  '/health',
  '/ready',
  '/metrics',
  '/manifest.webmanifest',
];

export default defineConfig({
  root: here('./main/web-client'),
  publicDir: here('./platform/web/public'),
  plugins: [firstTexts(), react()],
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
      // A door only hands on: whoever takes one thing through it does not load all that it leads to.
      treeshake: {
        moduleSideEffects: [
          { test: /[\\/]areas[\\/][^\\/]+[\\/]web[\\/]index\.tsx?$/, sideEffects: false },
        ],
      },
      output: {
        codeSplitting: {
          groups: [
            // What changes only with its version stays in the browser's cache over our own releases.
            {
              name: 'vendor',
              priority: 4,
              tags: ['$initial'],
              test: /node_modules[\\/](react|react-dom|scheduler|@tanstack|i18next|react-i18next)[\\/]/,
            },
            { name: 'shell', priority: 3, tags: ['$initial'] },
            // What every field is made of is there with the first screen; what floats, scrolls and lists comes in one
            // piece when the page is at rest (idle-pieces.ts), not in forty with the screen that needs it.
            {
              name: 'fields',
              priority: 2,
              test: /@mantine[\\/]core[\\/]esm[\\/](components[\\/](Title|Input|InputBase|TextInput|CloseButton|NativeSelect)[\\/]|components[\\/]Combobox[\\/](get-parsed-combobox-data|ComboboxChevron))|@mantine[\\/]hooks[\\/]esm[\\/]use-id[\\/]|platform[\\/]web[\\/](persian-calendar|ui[\\/](page|persian-day))\./,
            },
            {
              name: 'ui',
              priority: 1,
              test: /node_modules[\\/](@mantine|@floating-ui|react-remove-scroll|react-remove-scroll-bar|react-style-singleton|use-sidecar|use-callback-ref|tabbable|clsx)[\\/]|platform[\\/]web[\\/]ui[\\/](data-table|row-menu|dots-button|status-dot|sheet|bottom-sheet|searchable-select|page-links|confirm|save-state)/,
              minShareCount: 14,
            },
            // Hundreds of bytes each: one piece for those that several screens draw.
            { name: 'icons', test: /@tabler[\\/]/, minShareCount: 2 },
            // So are the small parts that many screens share, and what editors have in common: another round to the server
            // costs a phone more than a kilobyte that one of them may not need. Each brings what it is made of, so what
            // needs `ui` stands apart (the dashboard goes without), and so does what more than the editors draw.
            {
              name: 'more-ui',
              test: /@mantine[\\/]core[\\/]esm[\\/]components[\\/](Drawer|Badge|NumberInput)[\\/]|styles[\\/]NumberInput|@mantine[\\/]hooks[\\/]esm[\\/]use-move[\\/]|platform[\\/]web[\\/](ui[\\/]((bottom-)?sheet|suggest-field|work-bar|copy-button|choice-menu|row-menu\.module)|use-unsaved|forms|editing[\\/](stale-notice|step-|emoji))/,
            },
            {
              name: 'common',
              test: /[\\/]platform[\\/](?!web[\\/](editing|ui)[\\/])|areas[\\/](groups[\\/]web[\\/]|content[\\/]web[\\/]queries\.)/,
              minShareCount: 5,
            },
            // Of emails' settings, reviews and editors.
            {
              name: 'composing',
              test: /areas[\\/](content|broadcasts)[\\/]|platform[\\/]web[\\/]editing[\\/]/,
              minShareCount: 10,
            },
            // Of emails' and forms' editors.
            {
              name: 'editing',
              test: /areas[\\/]content[\\/](?!web[\\/]coupons)|platform[\\/]web[\\/](editing[\\/]|ui[\\/]save-state)|node_modules[\\/](zustand|w3c-keyname)[\\/]/,
              minShareCount: 2,
            },
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      forwarded.map((path) => [path, { target: server, changeOrigin: false }]),
    ),
  },
});
