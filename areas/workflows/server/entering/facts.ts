// Queues facts that lower areas announce. A handler only looks for listeners and stores the fact,
// so that an error in a workflow does not fail the caller's transaction.
import { createHash } from 'node:crypto';
import type { EngagementEvent } from '#areas/tracking/server/index.ts';
import { type Cause, startsWorkflows } from '#platform/origins.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { findLinkUrls } from '../runs/activity.sql.ts';
import { type WorkflowFact, findListeners, insertFacts } from './listeners.sql.ts';

/** Reference of listeners to any field, form, store or product. */
export const ANY = 0;
/**
 * Kind of a fact that may change the result of conditions for the subscriber; wakes subscribers who
 * wait for a condition.
 */
export const REEVALUATE = 'TOUCH';
/** Kind of the fact that a cart was ordered or given up, which ends runs and starts none. */
export const CLOSED = 'CART_CLOSED';

/** Returns the reference of a URL for listeners, the same in every email. */
export const hashUrl = (url: string): number =>
  createHash('sha256').update(url.trim()).digest().readUIntBE(0, 6);

/**
 * Returns the references of the URL with and without UTM parameters, because a workflow may refer
 * to either.
 */
const hashClickUrls = (link: { url: string; writtenUrl: string } | undefined): number[] => [
  ...new Set([hashUrl(link?.url ?? ''), hashUrl(link?.writtenUrl ?? '')]),
];

type FactSource = Cause & { accountId: number; subscriberIds: readonly number[] };
type NamedFact = { kind: string; refs: readonly number[] };

/**
 * Queues the fact for its listeners, unless its origin starts no workflows. Also queues a
 * reevaluation of the conditions of the same subscribers if a workflow listens for it.
 */
async function queueFacts(tx: Tx, source: FactSource, namedFact?: NamedFact): Promise<void> {
  const { accountId, origin, depth = 0, subscriberIds: ids } = source;
  if (ids.length === 0) return;
  const isQuiet = !startsWorkflows(origin);
  const listeners = await findListeners(
    tx,
    accountId,
    namedFact?.kind ?? REEVALUATE,
    namedFact?.refs ?? [],
  );
  const base = { at: clock.now(), depth, ids, subject: 0, facts: null, isQuiet };
  const workflowFacts = listeners
    .filter((listener) => listener.kind === REEVALUATE || !isQuiet)
    .map((listener): WorkflowFact => ({ ...listener, ...base }));
  await insertFacts(tx, accountId, workflowFacts);
}

export const queueGroupJoined = (tx: Tx, source: FactSource & { groupId: number }) =>
  queueFacts(tx, source, { kind: 'LIST_ADD', refs: [source.groupId] });

export const queueGroupLeft = (tx: Tx, source: FactSource & { groupId: number }) =>
  queueFacts(tx, source, { kind: 'LIST_REMOVE', refs: [source.groupId] });

export const queueFieldsChanged = (tx: Tx, source: FactSource & { fieldIds: number[] }) =>
  queueFacts(tx, source, { kind: 'FIELD_UPDATE', refs: [ANY, ...source.fieldIds] });

export const queueUnsubscribed = (tx: Tx, source: FactSource & { channel: string }) =>
  queueFacts(
    tx,
    source,
    source.channel === 'email' ? { kind: 'UNSUBSCRIBE', refs: [ANY] } : undefined,
  );

export const queueEvent = (tx: Tx, source: FactSource & { eventId: number }) =>
  queueFacts(tx, source, { kind: 'EVENT', refs: [source.eventId] });

/** Starts no workflow; only reevaluates conditions. */
export const requestReevaluation = (
  tx: Tx,
  source: Partial<Cause> & Omit<FactSource, keyof Cause>,
) => queueFacts(tx, { origin: 'person', ...source });

export const queueFormSubmission = (
  tx: Tx,
  source: Omit<FactSource, keyof Cause> & { formId: number; isConfirmed?: boolean },
) =>
  source.isConfirmed === false
    ? Promise.resolve()
    : queueFacts(
        tx,
        { ...source, origin: 'form' },
        { kind: 'FORM_SUBMIT', refs: [ANY, source.formId] },
      );

/** Queues opens and clicks by people; automated events start nothing. */
export async function queueEngagement(
  tx: Tx,
  { accountId, engagement }: { accountId: number; engagement: readonly EngagementEvent[] },
): Promise<void> {
  const human = engagement.filter(
    (engagement) => engagement.verdict === 'human' && engagement.subscriberId > 0,
  );
  if (human.length === 0) return;
  const listeners = await findListeners(tx, accountId, 'LINK_CLICK', undefined);
  if (listeners.length === 0) return;
  const origin = { accountId, origin: 'person' } as const;
  if (listeners.some((listener) => listener.kind === REEVALUATE))
    await queueFacts(tx, { ...origin, subscriberIds: listSubscriberIds(human) });
  const refs = new Set(
    listeners.flatMap((listener) => (listener.kind === REEVALUATE ? [] : [listener.ref])),
  );
  const clicks = human.filter((engagement) => engagement.position !== null);
  if (refs.size === 0 || clicks.length === 0) return;
  const urls = await findLinkUrls(tx, accountId, clicks);
  const linkedClicks = clicks.flatMap((click) =>
    hashClickUrls(urls.get(`${click.messageId}/${click.position}`)).map((ref) => ({
      ref,
      click,
    })),
  );
  const clickFacts = [...Map.groupBy(linkedClicks, ({ ref }) => ref)].flatMap(
    ([ref, group]): WorkflowFact[] => {
      if (!refs.has(ref)) return [];
      const at = clock.now();
      const ids = listSubscriberIds(group.map(({ click }) => click));
      return [
        { kind: 'LINK_CLICK', ref, at, depth: 0, ids, subject: 0, facts: null, isQuiet: false },
      ];
    },
  );
  await insertFacts(tx, accountId, clickFacts);
}

const listSubscriberIds = (engagement: readonly EngagementEvent[]) => [
  ...new Set(engagement.map((engagement) => engagement.subscriberId)),
];
