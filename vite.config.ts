// Builds the browser's part of the product; in development it forwards calls to the server.
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const server = process.env.SERVER_URL ?? 'http://127.0.0.1:3000';
const forwarded = [
  '/client-api',
  '/auth/api',
  '/v2',
  '/inbox',
  '/t/',
  '/u/',
  '/f/',
  '/hooks',
  '/docs',
  '/health',
  '/ready',
  '/metrics',
];

export default defineConfig({
  root: here('./main/web-client'),
  publicDir: here('./platform/web/public'),
  plugins: [react()],
  build: {
    outDir: here('./dist/web'),
    emptyOutDir: true,
    target: 'es2022',
    manifest: true,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 800,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          // What changes only with its version stays in the browser's cache over our own releases.
          groups: [
            {
              name: 'vendor',
              test: /node_modules[\\/](react|react-dom|scheduler|@tanstack|i18next|react-i18next|use-sync-external-store)[\\/]/,
            },
            { name: 'mantine', test: /@mantine[\\/](core[\\/]esm[\\/]core|hooks|store)[\\/]/ },
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
