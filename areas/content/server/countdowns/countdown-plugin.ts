// Serves the images of countdowns in emails: public, with signed URLs. They are cached until the
// minute ends, or for an hour once the countdown is over.
import type { FastifyPluginAsync } from 'fastify';
import { clock } from '#platform/server/clock.ts';
import { AppError } from '#platform/server/errors.ts';
import { readCountdown } from './countdown-address.ts';
import { drawCountdown } from './draw-countdown.ts';

type CountdownRequest = { Params: { file: string }; Querystring: { t?: unknown } };

export const countdownPlugin: FastifyPluginAsync = async (app) => {
  app.get<CountdownRequest>('/i/c/:file', async ({ params, query }, reply) => {
    const [, account] = /^([A-Za-z0-9]+)\.png$/.exec(params.file) ?? [];
    if (account === undefined || typeof query.t !== 'string') throw new AppError('not_found');
    const countdown = readCountdown(account, query.t);
    if (!countdown) throw new AppError('not_found');
    const { bytes, maxAgeSeconds } = await drawCountdown(countdown, clock.now());
    return reply
      .headers({
        'content-type': 'image/png',
        'cache-control': `public, max-age=${maxAgeSeconds}`,
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'cross-origin',
        'x-content-type-options': 'nosniff',
      })
      .send(bytes);
  });
};
