// The calls of outgoing webhooks in the public API, each as a sentence.
import { requireGroups } from '#areas/groups/server/index.ts';
import { encodeId, encodePublicId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database.ts';
import { AppError, invalid, notFound } from '#platform/server/errors.ts';
import { type Route, serve } from '#platform/server/http/serve.ts';
import { pageOf } from '#platform/server/http/v2.ts';
import { answerList } from '#platform/server/lists.ts';
import { refusePrivateAddress } from '#platform/server/outgoing-address.ts';
import { isOpenPort } from '#platform/server/outgoing-call.ts';
import { v2Time } from '#platform/v2-contract.ts';
import { ENDPOINTS_MOST, GROUP_TOPICS, type Topic } from '../limits.ts';
import { publicCalls, type Webhook } from '../public-contract.ts';
import * as store from './endpoints.sql.ts';
import { readSecrets, rotateSecrets, type Secrets } from './signing.ts';

type Change = {
  url?: string | undefined;
  topic?: Topic | undefined;
  relation_id?: number | undefined;
  status?: 'ACTIVE' | 'PAUSED' | undefined;
};

export const publicWebhookRoutes: Route[] = serve('webhooks', publicCalls, {
  listWebhooks: async ({ tx, who: { accountId }, query: { list }, request }) => {
    const page = await answerList(
      list,
      {
        rows: (slice) => store.listEndpoints(tx, accountId, slice),
        total: () => store.countEndpoints(tx, accountId),
      },
      present,
    );
    return pageOf(request, page, (one) => one);
  },
  createWebhook: async ({ tx, who: { accountId }, body: { url, topic, relation_id } }) => {
    if ((await store.countEndpoints(tx, accountId)) >= ENDPOINTS_MOST)
      throw new AppError('too_many_endpoints', { values: { most: ENDPOINTS_MOST } });
    requireCallable(url);
    const group_id = await groupOf(tx, accountId, topic, relation_id);
    const at = clock.now();
    const data = present(await store.insertEndpoint(tx, accountId, { url, topic, group_id, at }));
    return { ...data, success: true as const, message: 'Webhook has been created', data };
  },
  readSecret: async ({ tx, who }) => ({ data: shown(await readSecrets(tx, who.accountId)) }),
  rotateSecret: async ({ tx, who }) => ({ data: shown(await rotateSecrets(tx, who.accountId)) }),
  readWebhook: async ({ tx, who, params }) => present(await row(tx, who.accountId, params.id)),
  updateWebhook: ({ tx, who, params, body }) => change(tx, who.accountId, params.id, body),
  replaceWebhook: ({ tx, who, params, body }) => change(tx, who.accountId, params.id, body),
  deleteWebhook: async ({ tx, who, params }) => {
    if (!(await store.deleteEndpoint(tx, who.accountId, params.id))) throw notFound();
    return { success: true as const, message: 'Webhook has been deleted' };
  },
  listAttempts: async ({ tx, who: { accountId }, params, query: { list }, request }) => {
    await row(tx, accountId, params.id);
    const page = await answerList(
      list,
      {
        rows: (slice) => store.listEvents(tx, accountId, params.id, slice),
        total: () => store.countEvents(tx, accountId, params.id),
      },
      (one) => ({
        id: encodePublicId('attempt', accountId, one.id),
        state: one.state as 'due',
        attempts: one.attempt,
        status: one.status,
        answer: one.answer,
        next_at: v2Time(one.next_at),
        created: v2Time(one.created_at),
      }),
    );
    return pageOf(request, page, (one) => one);
  },
  resend: async ({ tx, who: { accountId }, params }) => {
    await row(tx, accountId, params.id);
    const count = await store.reviveEvents(tx, accountId, params.id, clock.now());
    return { success: true as const, message: 'Failed deliveries are sent again', count };
  },
});

async function row(tx: Tx, accountId: number, id: number): Promise<store.EndpointRow> {
  const found = await store.findEndpoint(tx, accountId, id);
  if (!found) throw notFound();
  return found;
}

async function change(tx: Tx, accountId: number, id: number, to: Change): Promise<Webhook> {
  const before = await row(tx, accountId, id);
  const { url = before.url, topic = before.topic as Topic, relation_id, status } = to;
  requireCallable(url);
  const isAsked = to.topic !== undefined || relation_id !== undefined;
  const group_id = isAsked
    ? await groupOf(tx, accountId, topic, relation_id ?? before.group_id ?? undefined)
    : before.group_id;
  const began = status === 'ACTIVE' ? { failing_since: null } : {};
  const changes = { url, topic, group_id, ...(status && { status }), ...began };
  const changed = await store.updateEndpoint(tx, accountId, id, changes);
  if (!changed) throw notFound();
  return present(changed);
}

/** Names are looked up at each call; what is private or no web server's port is refused at once. */
function requireCallable(url: string): void {
  const { hostname } = new URL(url);
  try {
    refusePrivateAddress(hostname.replace(/^\[|\]$/g, ''));
  } catch {
    throw invalid({ url: ['webhooks:errors.address_private'] });
  }
  if (!isOpenPort(new URL(url))) throw invalid({ url: ['webhooks:errors.address_private'] });
}

async function groupOf(tx: Tx, accountId: number, topic: Topic, id: number | undefined) {
  if (!GROUP_TOPICS.includes(topic)) return null;
  if (id === undefined) throw invalid({ relation_id: ['errors.fields.required'] });
  await requireGroups(tx, accountId, [id]);
  return id;
}

const shown = ({ current, formerUntil }: Secrets) => ({
  secret: current,
  former_until: v2Time(formerUntil),
});

function present(endpoint: store.EndpointRow): Webhook {
  const { url, total_deliveries, total_failures, response_ms } = endpoint;
  return {
    id: encodeId('endpoint', endpoint.id),
    account_id: encodeId('account', endpoint.account_id),
    url,
    topic: endpoint.topic as Topic,
    group: endpoint.group_id === null ? null : encodeId('group', endpoint.group_id),
    total_deliveries,
    total_failures,
    response_time: total_deliveries === 0 ? 0 : Math.round(response_ms / total_deliveries),
    status: endpoint.status as Webhook['status'],
  };
}
