// Presents rows of endpoints and deliveries in the format of the contracts.
import { encodeId, encodePublicId } from '#platform/ids.ts';
import type { WebhookDelivery, Endpoint } from '../contract.ts';
import type { Topic } from '../shared.ts';
import type { Webhook } from '../public-contract.ts';
import type { EndpointRow, listDeliveries } from './endpoints.sql.ts';

type WebhookDeliveryRow = Awaited<ReturnType<typeof listDeliveries>>[number];

export function presentEndpoint(endpoint: EndpointRow): Webhook {
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

export function presentAccountEndpoint(row: EndpointRow, groupTitle: string | undefined): Endpoint {
  const { account_id: _, ...publicEndpoint } = presentEndpoint(row);
  return {
    ...publicEndpoint,
    group_title: groupTitle ?? null,
    failing_since: row.failing_since?.toISOString() ?? null,
    created: row.created_at.toISOString(),
  };
}

export function presentDelivery(row: WebhookDeliveryRow): WebhookDelivery {
  return {
    id: encodePublicId('attempt', row.account_id, row.id),
    state: row.state as WebhookDelivery['state'],
    attempts: row.attempt,
    status: row.http_status,
    is_test: row.details !== null && typeof row.details === 'object' && 'sample' in row.details,
    next_at: row.next_at.toISOString(),
    created: row.created_at.toISOString(),
  };
}
