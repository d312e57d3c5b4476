// Serves webhook endpoints, their deliveries and the signing secret in the web app.
import { readGroupTitles } from '#areas/groups/server/index.ts';
import { decodePublicId } from '#platform/ids.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { notFound } from '#platform/server/errors.ts';
import { type Route, createRoutes } from '#platform/server/http/serve.ts';
import { buildListResponse } from '#platform/server/database/lists.ts';
import { calls } from '../contract.ts';
import * as store from './endpoints.sql.ts';
import * as endpoints from './endpoints.ts';
import { presentDelivery, presentAccountEndpoint } from './present.ts';
import { readSecrets, rotateSecrets, type SigningSecrets } from './signing.ts';

export const webhookRoutes: Route[] = createRoutes('webhooks', calls, {
  listEndpoints: async ({ tx, caller: { accountId }, query: { list } }) => {
    const page = await endpoints.listEndpoints(tx, accountId, list, (row) => row);
    return { ...page, data: await present(tx, accountId, page.data) };
  },
  createEndpoint: async ({ tx, caller: { accountId }, body }) =>
    presentOne(tx, accountId, await endpoints.createEndpoint(tx, accountId, body)),
  readSecret: async ({ tx, caller }) => presentSecrets(await readSecrets(tx, caller.accountId)),
  rotateSecret: async ({ tx, caller }) => presentSecrets(await rotateSecrets(tx, caller.accountId)),
  readEndpoint: async ({ tx, caller: { accountId }, params }) =>
    presentOne(tx, accountId, await endpoints.requireEndpoint(tx, accountId, params.id)),
  updateEndpoint: async ({ tx, caller: { accountId }, params, body }) =>
    presentOne(tx, accountId, await endpoints.changeEndpoint(tx, accountId, params.id, body)),
  deleteEndpoint: ({ tx, caller, params }) =>
    endpoints.deleteEndpoint(tx, caller.accountId, params.id),
  testEndpoint: async ({ tx, caller, params }) => {
    await endpoints.testEndpoint(tx, caller.accountId, params.id);
  },
  listDeliveries: async ({ tx, caller: { accountId }, params: { id }, query: { list, state } }) => {
    await endpoints.requireEndpoint(tx, accountId, id);
    return buildListResponse(
      list,
      {
        rows: (slice) => store.listDeliveries(tx, accountId, id, { ...slice, state }),
        total: () => store.countDeliveries(tx, accountId, id, { state }),
      },
      presentDelivery,
    );
  },
  listAttempts: async ({ tx, caller: { accountId }, params }) => {
    const id = decodeDelivery(accountId, params.delivery);
    if (!(await store.findDelivery(tx, accountId, params.id, id))) throw notFound();
    const attempts = await store.listAttempts(tx, accountId, id);
    return attempts.map(({ at, http_status, ms, body, answer }) => ({
      ...{ at: at.toISOString(), status: http_status, ms, body, answer },
    }));
  },
  resendDelivery: async ({ tx, caller: { accountId }, params }) => {
    const id = decodeDelivery(accountId, params.delivery);
    return { count: await endpoints.resend(tx, accountId, params.id, { id }) };
  },
  resendDeliveries: async ({ tx, caller: { accountId }, params, body }) => {
    const redelivery = {
      from: body.from === undefined ? undefined : new Date(body.from),
      to: body.to === undefined ? undefined : new Date(body.to),
    };
    return { count: await endpoints.resend(tx, accountId, params.id, redelivery) };
  },
});

function decodeDelivery(accountId: number, text: string): number {
  const deliveryId = decodePublicId('attempt', text);
  if (deliveryId?.accountId !== accountId) throw notFound();
  return deliveryId.id;
}

async function present(db: Reader, accountId: number, rows: readonly store.EndpointRow[]) {
  const ids = rows.flatMap(({ group_id }) => group_id ?? []);
  const titles = await readGroupTitles(db, accountId, ids);
  return rows.map((row) => presentAccountEndpoint(row, titles.get(row.group_id ?? 0)));
}

async function presentOne(db: Reader, accountId: number, row: store.EndpointRow) {
  const [endpoint] = await present(db, accountId, [row]);
  return endpoint as NonNullable<typeof endpoint>;
}

const presentSecrets = ({ current, previousValidUntil }: SigningSecrets) => ({
  secret: current,
  former_until: previousValidUntil?.toISOString() ?? null,
});
