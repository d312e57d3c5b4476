// Builds the bodies of deliveries: an object in the format of the public API, or an event with the
// subscriber it concerns. Bodies are stored by the last statements of the event's transaction.
import { readPublicSubscribers } from '#areas/audience/server/index.ts';
import { readPublicCampaigns } from '#areas/campaigns/server/index.ts';
import { SUBMITTED } from '#areas/content/server/index.ts';
import { readSingleValues } from '#areas/delivery/server/ledger/index.ts';
import { readPublicGroups } from '#areas/groups/server/index.ts';
import { encodeId, encodePublicId, KINDS, type Kind } from '#platform/ids.ts';
import { beforeCommit, type Reader, type Tx } from '#platform/server/database/database.ts';
import { parseV2Time } from '#platform/v2-contract.ts';
import type { Topic } from '../shared.ts';
import {
  type AddedEvent,
  type WebhookEvents,
  hasEndpointFor,
  insertEvents,
  saveBodies,
} from './endpoints.sql.ts';
import { findLinks, type WebhookMessageRow, findMessages } from './messages.sql.ts';

/** Stored data of an event; its body is built from this data and its subject. */
export type EventDetails = {
  /** The body of a test delivery. */
  sample?: unknown;
  message?: number;
  single?: number;
  position?: number;
  at?: string;
  /** The body except for the topic, for an object that the public API does not have. */
  body?: Record<string, unknown>;
  /** Further fields of the body. */
  said?: Record<string, unknown>;
};

const BARE_TOPICS: Partial<Record<Topic, 'subscriber' | 'group' | 'campaign'>> = {
  'subscribers/new': 'subscriber',
  'subscribers/updated': 'subscriber',
  'subscribers/unsubscribed': 'subscriber',
  'groups/new': 'group',
  'groups/new-subscriber': 'subscriber',
  'groups/unsubscribed': 'subscriber',
  'campaigns/new': 'campaign',
  'campaigns/sent': 'campaign',
  'experiments/decided': 'campaign',
  'bounces/new': 'subscriber',
};

/** Topics whose subject is a group or a campaign, not a subscriber. */
export const OBJECT_TOPICS = (Object.keys(BARE_TOPICS) as Topic[]).filter(
  (topic) => BARE_TOPICS[topic] !== 'subscriber',
);

/**
 * Adds the events of a change. Their bodies are built before the commit, so that they show the
 * result of the whole transaction.
 */
export async function addEvents(tx: Tx, accountId: number, change: WebhookEvents): Promise<void> {
  if (!(await hasEndpointFor(tx, accountId, [change.topic]))) return;
  const addedEvents = await insertEvents(tx, accountId, change);
  if (addedEvents.length === 0) return;
  await beforeCommit(tx, async (lastTx) => {
    await saveBodies(lastTx, accountId, await buildBodies(lastTx, accountId, addedEvents));
  });
}

/**
 * Returns the bodies by the id of their event. An event whose whole body would be a deleted object
 * has none. If the subscriber of any other event was deleted, the body contains null instead.
 */
export async function buildBodies(
  db: Reader,
  accountId: number,
  dueEvents: readonly AddedEvent[],
): Promise<Map<number, string>> {
  const idsOf = (kind: 'subscriber' | 'group' | 'campaign') => [
    ...new Set(
      dueEvents
        .filter(
          (addedEvent) =>
            (BARE_TOPICS[addedEvent.topic] ?? 'subscriber') === kind && addedEvent.subject_id > 0,
        )
        .map((addedEvent) => addedEvent.subject_id),
    ),
  ];
  const details = dueEvents.flatMap(
    (addedEvent) => (addedEvent.details as EventDetails | null) ?? [],
  );
  const messageIds = [...new Set(details.flatMap(({ message }) => message ?? []))];
  const resources = {
    subscriber: await readPublicSubscribers(db, accountId, idsOf('subscriber')),
    group: await readPublicGroups(db, accountId, idsOf('group')),
    campaign: await readPublicCampaigns(db, accountId, idsOf('campaign')),
    message: await findMessages(db, accountId, messageIds),
    link: await findLinks(db, accountId, messageIds),
    submittedId: await readSingleValues(
      db,
      accountId,
      [...new Set(details.flatMap(({ single }) => single ?? []))],
      SUBMITTED.messageId,
    ),
  };
  const bodies = new Map<number, string>();
  for (const addedEvent of dueEvents) {
    const body = bodyOf(addedEvent, resources);
    if (body !== undefined) bodies.set(addedEvent.id, JSON.stringify(body));
  }
  return bodies;
}

type EventResources = {
  subscriber: ReadonlyMap<number, unknown>;
  group: ReadonlyMap<number, unknown>;
  campaign: ReadonlyMap<number, unknown>;
  message: ReadonlyMap<number, WebhookMessageRow>;
  link: ReadonlyMap<string, string>;
  /** Message-IDs of submitted emails, by single send. */
  submittedId: ReadonlyMap<number, string>;
};

function bodyOf(addedEvent: AddedEvent, resources: EventResources): unknown {
  const details = (addedEvent.details ?? {}) as EventDetails;
  if (details.sample !== undefined) return toIsoTimes(details.sample);
  if (details.body !== undefined) return { topic: addedEvent.topic, ...details.body };
  const kind = BARE_TOPICS[addedEvent.topic];
  if (kind) return toIsoTimes(resources[kind].get(addedEvent.subject_id));
  const { message: messageId, single, position, at, said: extra } = details;
  const message = messageId === undefined ? undefined : resources.message.get(messageId);
  return {
    topic: addedEvent.topic,
    ...(at && { at }),
    ...(message && { message: presentMessage(message, resources.submittedId.get(single ?? 0)) }),
    ...(single !== undefined && idOfSingle(addedEvent, single)),
    ...(position !== undefined && { url: resources.link.get(`${messageId} ${position}`) ?? null }),
    ...extra,
    subscriber: toIsoTimes(resources.subscriber.get(addedEvent.subject_id) ?? null),
  };
}

const UTC_TIMES: ReadonlySet<string> = new Set([
  ...['created', 'modified', 'bounced_at', 'unsubscribed_at', 'sent_time'],
]);

/**
 * Returns the object with its UTC times in ISO 8601 with `Z`, because a body has no field for the
 * zone. `schedule_time` remains the account's local time, as in the API.
 */
function toIsoTimes(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([key, one]: [string, unknown]) => {
    if (UTC_TIMES.has(key) && typeof one === 'string') return [key, parseV2Time(one)];
    return [key, key === 'subscriber' ? toIsoTimes(one) : one];
  });
  return Object.fromEntries(entries) as unknown;
}

/** Returns the id for reading a single email or SMS through the API. */
const idOfSingle = ({ topic, account_id: accountId }: AddedEvent, single: number) =>
  topic.startsWith('sms/')
    ? { sms_id: encodePublicId('text', accountId, single) }
    : { email_id: encodePublicId('email', accountId, single) };

/** Kind of public id of a message's source, by kind of message. */
const SOURCES: Record<string, Kind> = {
  campaign: 'campaign',
  transactional: 'transactional',
  sms_campaign: 'sms',
  sms_transactional: 'transactional_text',
};

function presentMessage(
  { id, kind, source_id, subject }: WebhookMessageRow,
  originalId: string | undefined,
) {
  const source = SOURCES[kind];
  return {
    id: encodeId('message', id),
    kind,
    subject,
    ...(originalId !== undefined && { original_message_id: originalId }),
    source_id: source && source in KINDS && source_id !== null ? encodeId(source, source_id) : null,
  };
}
