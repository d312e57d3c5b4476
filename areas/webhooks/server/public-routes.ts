// Serves webhook endpoints, their deliveries and the signing secret in the public API.
import { encodePublicId } from '#platform/ids.ts';
import { type Route, createRoutes } from '#platform/server/http/serve.ts';
import { presentPage } from '#platform/server/http/v2.ts';
import { buildListResponse } from '#platform/server/database/lists.ts';
import { v2Time } from '#platform/v2-contract.ts';
import { publicCalls } from '../public-contract.ts';
import * as store from './endpoints.sql.ts';
import * as endpoints from './endpoints.ts';
import { presentEndpoint } from './present.ts';
import { readSecrets, rotateSecrets, type SigningSecrets } from './signing.ts';

export const publicWebhookRoutes: Route[] = createRoutes('webhooks', publicCalls, {
  listWebhooks: async ({ tx, caller, query: { list }, request }) => {
    const page = await endpoints.listEndpoints(tx, caller.accountId, list, presentEndpoint);
    return presentPage(request, page, (endpoint) => endpoint);
  },
  createWebhook: async ({ tx, caller, body }) => {
    const data = presentEndpoint(await endpoints.createEndpoint(tx, caller.accountId, body));
    return { ...data, success: true as const, message: 'Webhook has been created', data };
  },
  readSecret: async ({ tx, caller }) => presentSecrets(await readSecrets(tx, caller.accountId)),
  rotateSecret: async ({ tx, caller }) => presentSecrets(await rotateSecrets(tx, caller.accountId)),
  readWebhook: async ({ tx, caller, params }) =>
    presentEndpoint(await endpoints.requireEndpoint(tx, caller.accountId, params.id)),
  updateWebhook: async ({ tx, caller, params, body }) =>
    presentEndpoint(await endpoints.changeEndpoint(tx, caller.accountId, params.id, body)),
  replaceWebhook: async ({ tx, caller, params, body }) =>
    presentEndpoint(await endpoints.changeEndpoint(tx, caller.accountId, params.id, body)),
  postWebhook: async ({ tx, caller, params, body }) =>
    presentEndpoint(await endpoints.changeEndpoint(tx, caller.accountId, params.id, body)),
  deleteWebhook: async ({ tx, caller, params }) => {
    await endpoints.deleteEndpoint(tx, caller.accountId, params.id);
    return { success: true as const, message: 'Webhook has been deleted' };
  },
  listAttempts: async ({ tx, caller: { accountId }, params, query: { list }, request }) => {
    await endpoints.requireEndpoint(tx, accountId, params.id);
    const page = await buildListResponse(
      list,
      {
        rows: (slice) => store.listDeliveries(tx, accountId, params.id, slice),
        total: () => store.countDeliveries(tx, accountId, params.id),
      },
      (delivery) => ({
        id: encodePublicId('attempt', accountId, delivery.id),
        state: delivery.state as 'due',
        attempts: delivery.attempt,
        status: delivery.http_status,
        answer: delivery.answer,
        next_at: v2Time(delivery.next_at),
        created: v2Time(delivery.created_at),
      }),
    );
    return presentPage(request, page, (delivery) => delivery);
  },
  resend: async ({ tx, caller, params, body }) => {
    const count = await endpoints.resend(tx, caller.accountId, params.id, {
      from: body?.from && new Date(body.from),
      to: body?.to && new Date(body.to),
    } as store.Redelivery);
    return { success: true as const, message: 'Deliveries are sent again', count };
  },
  testWebhook: async ({ tx, caller, params }) => {
    await endpoints.testEndpoint(tx, caller.accountId, params.id);
    return { success: true as const, message: 'A test is on its way' };
  },
});

const presentSecrets = ({ current, previousValidUntil }: SigningSecrets) => ({
  secret: current,
  former_until: v2Time(previousValidUntil),
});
