// Public image URLs for emails: images of accounts and images drawn by the product. Their content
// never changes, so they are cached for a year.
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import { decodeId } from '#platform/ids.ts';
import { AppError } from '#platform/server/errors.ts';
import { files } from '#platform/server/files/files.ts';
import { drawArt } from '../art/art.ts';
import { buildFilePath } from './images.ts';
import { drawPlayPlaceholder, drawIcon, overlayPlayIcon } from '../art/social-icons.ts';

const FILE = /^([a-z0-9]{32})(-s|-play)?\.(png|jpg|gif|webp)$/;
const TYPES: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

export const imagesPlugin: FastifyPluginAsync = async (app) => {
  app.get('/i/play.png', async (_, reply) => send(reply, 'png', await drawPlayPlaceholder()));
  app.get<{ Params: { style: string; file: string } }>(
    '/i/s/:style/:file',
    async (request, reply) =>
      send(reply, 'png', await drawIcon(request.params.style, request.params.file)),
  );
  app.get<{ Params: { file: string } }>('/i/art/:file', async (request, reply) =>
    send(reply, 'png', await drawArt(request.params.file.replace(/\.png$/, ''))),
  );
  app.get<{ Params: { account: string; file: string } }>(
    '/i/:account/:file',
    async (request, reply) => {
      const accountId = decodeId('account', request.params.account);
      const [, key, variant, format] = FILE.exec(request.params.file) ?? [];
      if (accountId === undefined || key === undefined || format === undefined) {
        throw new AppError('not_found');
      }
      const image = { account_id: accountId, file_key: key, format };
      const file = buildFilePath(image, variant);
      const storedImage = await files.get(file);
      if (storedImage || variant !== '-play') return send(reply, format, storedImage);
      return send(reply, format, await makePlay(image));
    },
  );
};

/**
 * Creates the variant of an image with a play icon, which is requested for the first time, and
 * stores it. Returns undefined if the image does not exist.
 */
async function makePlay(image: { account_id: number; file_key: string; format: string }) {
  for (const format of ['jpg', 'png', 'gif', 'webp']) {
    const original = await files.get(buildFilePath(image, '', format));
    if (!original) continue;
    const imageWithIcon = await overlayPlayIcon(await buffer(original));
    await files.put(buildFilePath(image, '-play'), Readable.from([imageWithIcon]));
    return imageWithIcon;
  }
  return undefined;
}

function send(
  reply: FastifyReply,
  format: string,
  content: Readable | Buffer | undefined,
): FastifyReply {
  if (content === undefined) throw new AppError('not_found');
  return reply
    .headers({
      'content-type': TYPES[format],
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    })
    .send(content);
}
