// Builds the scripts for customers' sites: small files for many browsers, separate from the
// product's client.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const resolvePath = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/**
 * The loader and the store script are loaded alone. Each contains its own copy of plain-json.ts,
 * which would otherwise become a shared chunk.
 */
const OWN_COPIES = /\/(forms\/site\/loader|stores\/shop)\.ts$/;

export default defineConfig({
  root: resolvePath('.'),
  plugins: [
    {
      name: 'own-copies',
      enforce: 'pre',
      resolveId: (source, importer = '') =>
        source.endsWith('/plain-json.ts') && OWN_COPIES.test(importer)
          ? `${resolvePath('./forms/site/plain-json.ts')}?of=${encodeURIComponent(importer)}`
          : undefined,
    },
  ],
  publicDir: false,
  build: {
    target: ['es2022', 'chrome100', 'firefox110', 'safari15.4'],
    // Built as for a server, so that Vite adds no import helpers: each file is loaded alone.
    ssr: true,
    minify: true,
    rolldownOptions: {
      input: {
        loader: resolvePath('./forms/site/loader.ts'),
        form: resolvePath('./forms/site/form.ts'),
        wheel: resolvePath('./forms/site/wheel.ts'),
        fonts: resolvePath('./forms/site/fonts.ts'),
        'copy-button': resolvePath('./forms/site/copy-button.ts'),
        hosted: resolvePath('./forms/site/hosted.ts'),
        preview: resolvePath('./forms/site/preview.ts'),
        shop: resolvePath('./stores/shop.ts'),
      },
      preserveEntrySignatures: 'allow-extension',
      output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' },
    },
  },
});
