// Creates, changes and tests webhook endpoints, and sends their deliveries again. The web app and
// the public API share this code.
import { requireGroups } from '#areas/groups/server/index.ts';
import type { ListRequest } from '#platform/contract.ts';
import { recordChange } from '#platform/server/audit.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, invalid, notFound } from '#platform/server/errors.ts';
import { buildListResponse } from '#platform/server/database/lists.ts';
import { refusePrivateAddress } from '#platform/server/outgoing/outgoing-address.ts';
import { isOpenPort } from '#platform/server/outgoing/outgoing-call.ts';
import { MAX_ENDPOINTS, GROUP_TOPICS, type Topic } from '../shared.ts';
import * as store from './endpoints.sql.ts';
import { isHookBox } from './hook-box-address.ts';
import { buildSamplePayload } from './samples.ts';

type EndpointChange = {
  url?: string | undefined;
  topic?: Topic | undefined;
  relation_id?: number | undefined;
  status?: 'ACTIVE' | 'PAUSED' | undefined;
};

export async function listEndpoints<View>(
  db: Reader,
  accountId: number,
  list: ListRequest<'created' | 'title'>,
  present: (row: store.EndpointRow) => View,
) {
  return buildListResponse(
    list,
    {
      rows: (slice) => store.listEndpoints(db, accountId, slice, list),
      total: () => store.countEndpoints(db, accountId),
    },
    present,
  );
}

/** @throws `not_found` if it is unknown or belongs to another account */
export async function requireEndpoint(
  db: Reader,
  accountId: number,
  id: number,
): Promise<store.EndpointRow> {
  const endpoint = await store.findEndpoint(db, accountId, id);
  if (!endpoint) throw notFound();
  return endpoint;
}

export async function createEndpoint(
  tx: Tx,
  accountId: number,
  { url, topic, relation_id }: { url: string; topic: Topic; relation_id?: number | undefined },
): Promise<store.EndpointRow> {
  if ((await store.countEndpoints(tx, accountId)) >= MAX_ENDPOINTS)
    throw new AppError('too_many_endpoints', { values: { most: MAX_ENDPOINTS } });
  requireCallable(url);
  const group_id = await groupOf(tx, accountId, topic, relation_id);
  const row = await store.insertEndpoint(tx, accountId, { url, topic, group_id, at: clock.now() });
  recordChange({ after: auditedEndpoint(row) });
  return row;
}

/** Values for the audit log. The path of the URL is left out, because it may contain a secret. */
const auditedEndpoint = ({ url, topic, status }: store.EndpointRow) => ({
  ...{ host: new URL(url).host, topic, status },
});

export async function changeEndpoint(
  tx: Tx,
  accountId: number,
  id: number,
  change: EndpointChange,
): Promise<store.EndpointRow> {
  const before = await requireEndpoint(tx, accountId, id);
  const { url = before.url, topic = before.topic as Topic, relation_id, status } = change;
  requireCallable(url);
  const isRetargeted = change.topic !== undefined || relation_id !== undefined;
  const group_id = isRetargeted
    ? await groupOf(tx, accountId, topic, relation_id ?? before.group_id ?? undefined)
    : before.group_id;
  const restart = status === 'ACTIVE' ? { failing_since: null } : {};
  const changes = { url, topic, group_id, ...(status && { status }), ...restart };
  const endpoint = await store.updateEndpoint(tx, accountId, id, changes);
  if (!endpoint) throw notFound();
  recordChange({ before: auditedEndpoint(before), after: auditedEndpoint(endpoint) });
  return endpoint;
}

export async function deleteEndpoint(tx: Tx, accountId: number, id: number): Promise<void> {
  const before = await requireEndpoint(tx, accountId, id);
  if (!(await store.deleteEndpoint(tx, accountId, id))) throw notFound();
  recordChange({ before: auditedEndpoint(before) });
}

/** Queues a test delivery with a sample body of the endpoint's topic. */
export async function testEndpoint(tx: Tx, accountId: number, id: number): Promise<number> {
  const { topic } = await requireEndpoint(tx, accountId, id);
  const details = { sample: buildSamplePayload(topic as Topic) };
  const row = { endpointId: id, topic: topic as Topic, details, at: clock.now() };
  return store.addTest(tx, accountId, row);
}

export async function resend(
  tx: Tx,
  accountId: number,
  id: number,
  redelivery: store.Redelivery,
): Promise<number> {
  await requireEndpoint(tx, accountId, id);
  const count = await store.redeliverEvents(tx, accountId, id, redelivery, clock.now());
  if (redelivery.id !== undefined && count === 0) throw notFound();
  return count;
}

/**
 * Refuses URLs with a private address or with the port of another service. A host name is resolved
 * and checked at each delivery.
 */
function requireCallable(url: string): void {
  if (isHookBox(url)) return;
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
