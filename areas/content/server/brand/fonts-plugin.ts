// /i/fonts/…: web fonts for emails (a style sheet) and for forms on customers' sites (a list of
// faces).
import type { FastifyPluginAsync } from 'fastify';
import { AppError } from '#platform/server/errors.ts';
import type { Font } from '../../fonts.ts';
import { type FontFace, findFontFaces, readFontFile, findWebFontBySlug } from './web-fonts.ts';

type FontRequest = { Params: { family: string }; Querystring: { w?: string } };
const DAY = 'public, max-age=86400, stale-while-revalidate=604800';
/** Short cache time after a failure of the source. */
const SHORT_CACHE = 'public, max-age=60';

export const fontsPlugin: FastifyPluginAsync = async (app) => {
  app.addHook('onRequest', async (_, reply) => {
    // Fonts may be loaded by any site and any mail client.
    reply.header('access-control-allow-origin', '*');
    reply.header('cross-origin-resource-policy', 'cross-origin');
  });
  app.get<FontRequest>('/i/fonts/:family.css', async (request, reply) => {
    const font = findFontIn(request.params.family);
    const faces = await selectFaces(font, request.query.w);
    const sheet = faces.map(
      ({ weight, range, file }) =>
        `@font-face{font-family:'${font.name}';font-style:normal;font-weight:${weight};font-display:swap;src:url(/i/fonts/${request.params.family}/${file}) format('woff2')${range ? `;unicode-range:${range}` : ''}}`,
    );
    return reply
      .header('cache-control', faces.length > 0 ? DAY : SHORT_CACHE)
      .type('text/css; charset=utf-8')
      .send(sheet.join('\n'));
  });
  app.get<FontRequest>('/i/fonts/:family.json', async (request, reply) => {
    const faces = await selectFaces(findFontIn(request.params.family), request.query.w);
    return reply.header('cache-control', faces.length > 0 ? DAY : SHORT_CACHE).send(faces);
  });
  app.get<{ Params: { family: string; file: string } }>(
    '/i/fonts/:family/:file',
    async (request, reply) => {
      const bytes = await readFontFile(findFontIn(request.params.family), request.params.file);
      if (!bytes) throw new AppError('not_found');
      return reply
        .header('cache-control', 'public, max-age=31536000, immutable')
        .type('font/woff2')
        .send(bytes);
    },
  );
};

function findFontIn(slug: string): Font {
  const font = findWebFontBySlug(slug);
  if (!font) throw new AppError('not_found');
  return font;
}

/** Returns the font faces in the requested weights, or all faces if none are requested. */
async function selectFaces(font: Font, weights = ''): Promise<FontFace[]> {
  const requestedWeights = weights.split(',').map(Number).filter(Boolean);
  const faces = await findFontFaces(font);
  return requestedWeights.length === 0
    ? faces
    : faces.filter(({ weight }) => requestedWeights.includes(weight));
}
