// Queues facts that lower areas announce. A handler only looks for listeners and stores the fact,
// so that a fault of a workflow does not make the caller's transaction fail.
import { createHash } from 'node:crypto';
import type { EngagementEvent } from '#areas/tracking/server/index.ts';
import { type Cause, startsWorkflows } from '#platform/origins.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { findLinkUrls } from '../runs/activity.sql.ts';
import { type Fact, findListeners, insertFacts } from './listeners.sql.ts';

/** Reference of listeners to any field, form, store or product. */
export const ANY = 0;
/**
 * Kind of a fact after which conditions may have another result for the subscriber; wakes
 * subscribers who wait for a condition.
 */
export const REEVALUATE = 'TOUCH';
/** Kind of the fact that a cart was ordered or given up, which ends runs and starts none. */
export const CLOSED = 'CART_CLOSED';

/** Reference of a URL for listeners, the same in every email. */
export const refOfUrl = (url: string): number =>
  createHash('sha256').update(url.trim()).digest().readUIntBE(0, 6);

/**
 * References of the URL with and without its UTM parameters, because a workflow may refer to
 * either.
 */
const refsOfClick = (link: { url: string; written: string } | undefined): number[] => [
  ...new Set([refOfUrl(link?.url ?? ''), refOfUrl(link?.written ?? '')]),
];

type FactSource = Cause & { accountId: number; subscriberIds: readonly number[] };
type NamedFact = { kind: string; refs: readonly number[] };

/**
 * Queues the fact for its listeners, unless its origin starts no workflows. Also queues a
 * reevaluation of the conditions of the same subscribers if a workflow listens for it.
 */
async function queueFacts(tx: Tx, source: FactSource, named?: NamedFact): Promise<void> {
  const { accountId, origin, depth = 0, subscriberIds: ids } = source;
  if (ids.length === 0) return;
  const isQuiet = !startsWorkflows(origin);
  const listening = await findListeners(
    tx,
    accountId,
    named?.kind ?? REEVALUATE,
    named?.refs ?? [],
  );
  const fact = { at: clock.now(), depth, ids, subject: 0, facts: null, isQuiet };
  const facts = listening
    .filter((listened) => listened.kind === REEVALUATE || !isQuiet)
    .map((listened): Fact => ({ ...listened, ...fact }));
  await insertFacts(tx, accountId, facts);
}

export const groupJoined = (tx: Tx, facts: FactSource & { groupId: number }) =>
  queueFacts(tx, facts, { kind: 'LIST_ADD', refs: [facts.groupId] });

export const groupLeft = (tx: Tx, facts: FactSource & { groupId: number }) =>
  queueFacts(tx, facts, { kind: 'LIST_REMOVE', refs: [facts.groupId] });

export const fieldsChanged = (tx: Tx, facts: FactSource & { fieldIds: number[] }) =>
  queueFacts(tx, facts, { kind: 'FIELD_UPDATE', refs: [ANY, ...facts.fieldIds] });

export const leftChannel = (tx: Tx, facts: FactSource & { channel: string }) =>
  queueFacts(
    tx,
    facts,
    facts.channel === 'email' ? { kind: 'UNSUBSCRIBE', refs: [ANY] } : undefined,
  );

export const eventHappened = (tx: Tx, facts: FactSource & { eventId: number }) =>
  queueFacts(tx, facts, { kind: 'EVENT', refs: [facts.eventId] });

/** Starts no workflow; only reevaluates conditions. */
export const requestReevaluation = (
  tx: Tx,
  facts: Partial<Cause> & Omit<FactSource, keyof Cause>,
) => queueFacts(tx, { origin: 'person', ...facts });

export const formFilledIn = (
  tx: Tx,
  facts: Omit<FactSource, keyof Cause> & { formId: number; isConfirmed?: boolean },
) =>
  facts.isConfirmed === false
    ? Promise.resolve()
    : queueFacts(
        tx,
        { ...facts, origin: 'form' },
        { kind: 'FORM_SUBMIT', refs: [ANY, facts.formId] },
      );

/** Opens and clicks by people; automated events start nothing. */
export async function engaged(
  tx: Tx,
  { accountId, engagement }: { accountId: number; engagement: readonly EngagementEvent[] },
): Promise<void> {
  const human = engagement.filter(
    (engagement) => engagement.verdict === 'human' && engagement.subscriberId > 0,
  );
  if (human.length === 0) return;
  const listening = await findListeners(tx, accountId, 'LINK_CLICK', undefined);
  if (listening.length === 0) return;
  const origin = { accountId, origin: 'person' } as const;
  if (listening.some((listened) => listened.kind === REEVALUATE))
    await queueFacts(tx, { ...origin, subscriberIds: idsOf(human) });
  const refs = new Set(
    listening.flatMap((listened) => (listened.kind === REEVALUATE ? [] : [listened.ref])),
  );
  const clicks = human.filter((engagement) => engagement.position !== null);
  if (refs.size === 0 || clicks.length === 0) return;
  const urls = await findLinkUrls(tx, accountId, clicks);
  const named = clicks.flatMap((click) =>
    refsOfClick(urls.get(`${click.messageId}/${click.position}`)).map((ref) => ({
      ref,
      click,
    })),
  );
  const facts = [...Map.groupBy(named, ({ ref }) => ref)].flatMap(([ref, group]): Fact[] => {
    if (!refs.has(ref)) return [];
    const at = clock.now();
    const ids = idsOf(group.map(({ click }) => click));
    return [
      { kind: 'LINK_CLICK', ref, at, depth: 0, ids, subject: 0, facts: null, isQuiet: false },
    ];
  });
  await insertFacts(tx, accountId, facts);
}

const idsOf = (engagement: readonly EngagementEvent[]) => [
  ...new Set(engagement.map((engagement) => engagement.subscriberId)),
];
