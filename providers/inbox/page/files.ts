// The style, script, logo and fonts of the inbox's pages.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { dictionary } from '#platform/dictionary.ts';
import { notFound } from '#platform/server/errors.ts';
import { dark, light } from '#platform/web/theme/tokens.ts';
import { INBOX_SCRIPT } from './script.ts';
import { inboxStyle } from './style.ts';

const LOGO_SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="none" stroke-width="3.2" stroke-linecap="round"><style>.a{stroke:${light.primary}}.b{stroke:${light.accent}}@media (prefers-color-scheme:dark){.a{stroke:${dark.primary}}.b{stroke:${dark.accent}}}</style><path class="a" d="M24 8.5C21.5 5.6 10 4.6 10 11c0 6.2 12.5 4.2 12.5 10.4 0 6-10.6 5.6-14 2.2"/><path class="b" d="M22.4 4.9C15 2.6 5.6 5.8 6 12.2c.4 6.6 12 5 12.2 10"/></svg>`;

const FONTS: Record<string, string> = dictionary({
  'inter.woff2': '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2',
  'inter-ext.woff2': '@fontsource-variable/inter/files/inter-latin-ext-wght-normal.woff2',
  'vazirmatn.woff2': '@fontsource-variable/vazirmatn/files/vazirmatn-arabic-wght-normal.woff2',
});

const GENERATED_FILES: Record<string, { type: string; text: () => string }> = dictionary({
  'inbox.css': { type: 'text/css; charset=utf-8', text: inboxStyle },
  'inbox.js': { type: 'text/javascript; charset=utf-8', text: () => INBOX_SCRIPT },
  'mark.svg': { type: 'image/svg+xml', text: () => LOGO_SVG },
});

export function addInboxFiles(app: FastifyInstance): void {
  app.get<{ Params: { name: string } }>('/inbox/files/:name', async (request, reply) => {
    const { name } = request.params;
    const generate = GENERATED_FILES[name];
    if (generate) {
      return reply.header('cache-control', 'no-cache').type(generate.type).send(generate.text());
    }
    const bytes = await fontFile(FONTS[name]);
    if (!bytes) {
      throw notFound();
    }
    return reply.header('cache-control', 'max-age=86400').type('font/woff2').send(bytes);
  });
}

// The fonts are a development dependency; if they are missing, the system's font is used.
async function fontFile(specifier: string | undefined): Promise<Buffer | undefined> {
  if (!specifier) {
    return undefined;
  }
  try {
    return await readFile(fileURLToPath(import.meta.resolve(specifier)));
  } catch {
    return undefined;
  }
}
