// /hooks/billing/<gateway>: webhooks of payment gateways. The signature is verified before the
// events are handled.
import type { FastifyPluginAsync } from 'fastify';
import type { Gateway } from './gateway-provider.ts';
import { handleEvents } from './charge-polling.ts';

const BODY_LIMIT = 256 * 1024;

export function billingHooks(gateway: Gateway): FastifyPluginAsync {
  return async (app) => {
    // Signatures cover the raw bytes.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser(
      '*',
      { parseAs: 'string', bodyLimit: BODY_LIMIT },
      (_, body, callback) => callback(null, body),
    );
    app.post(
      `/hooks/billing/${gateway.name}`,
      { bodyLimit: BODY_LIMIT },
      async (request, reply) => {
        const headers = Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
        );
        const body = typeof request.body === 'string' ? request.body : '';
        const events = await gateway.parseWebhook({ headers, body });
        if (!events)
          return reply.status(400).type('text/plain').send('Not signed by the gateway\n');
        await handleEvents(app.db, gateway, events);
        return reply.status(200).type('text/plain').send('Accepted\n');
      },
    );
  };
}
