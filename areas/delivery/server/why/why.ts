// Explains why a subscriber got or did not get a message, with a short answer and the chain of
// known events.
import { toSubscriberValues, renderSubject } from '#areas/content/server/index.ts';
import { readGroupTitles } from '#areas/groups/server/index.ts';
import {
  listStatusChanges,
  type SubscriberRow,
  readSubscriber,
} from '#areas/subscribers/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { notFound } from '#platform/server/errors.ts';
import { getMessageKindRules } from '../../message-kinds.ts';
import type { DeliveryExplanation, WhyStep } from '../../why-contract.ts';
import { toLeadId, toMessageId } from '../../lead-id.ts';
import type { WhyAnswer, WhyStepKind } from '../../why-answers.ts';
import { getStatusChannel } from '../channels/addresses.sql.ts';
import { computeBucket } from '#areas/experiments/server/index.ts';
import { isHeldOut, findLead, findMessagesOfLead, findMessageWith } from '../groups/groups.sql.ts';
import { type Audience, checkSelection } from '../ledger/audience.sql.ts';
import { findMessage, type LedgerMessageRow } from '../ledger/messages.sql.ts';
import type { Frozen } from '../ledger/messages.ts';
import { listRelaysShownTo } from '../relays/relay-visibility.ts';
import * as store from './why.sql.ts';

type ExplanationStep = { kind: WhyStepKind; at?: Date | null } & Partial<
  Omit<WhyStep, 'kind' | 'at'>
>;

/** @throws `not_found` for a campaign without a message, or of another account */
export async function explainCampaignDelivery(
  db: Reader,
  accountId: number,
  campaignId: number,
  subscriberId: number,
): Promise<DeliveryExplanation> {
  const newest = await store.findNewestMessageOfCampaign(db, accountId, 'campaign', campaignId);
  if (newest === undefined) throw notFound();
  const lead = await findLead(db, accountId, newest);
  const ids = await findMessagesOfLead(db, accountId, lead);
  const sentMessage =
    ids.length > 1 ? await findMessageWith(db, accountId, ids, subscriberId) : undefined;
  return explainMessageDelivery(db, accountId, sentMessage ?? toMessageId(lead), subscriberId);
}

export async function explainMessageDelivery(
  db: Reader,
  accountId: number,
  messageId: number,
  subscriberId: number,
): Promise<DeliveryExplanation> {
  const message = await findMessage(db, accountId, messageId);
  if (!message || getMessageKindRules(message.kind).isOwn) throw notFound();
  const subscriber = await readSubscriber(db, accountId, subscriberId);
  const query: WhyQuery = { db, accountId, message, subscriber };
  const explanation =
    message.frozen_hash === null ? await explainCampaign(query) : await explainSingle(query);
  const followUp = await afterwards(query);
  const steps = [...explanation.steps, ...followUp.steps];
  return {
    answer: answerWith(explanation.answer, followUp),
    email: subscriber.email,
    subject: await subjectFor(message, subscriber),
    is_compacted: message.compacted_at !== null || message.packed_to !== null,
    steps: steps.map(present),
  };
}

/**
 * Corrects the answer by later events: a bounce, or an open or click that proves that the copy
 * arrived.
 */
function answerWith(conclusion: WhyAnswer, { hasBounced, hasActed }: FollowUp): WhyAnswer {
  if (hasBounced && (conclusion === 'got' || conclusion === 'unknown')) return 'came_back';
  return hasActed && conclusion === 'unknown' ? 'got' : conclusion;
}

/** Returns the subject with the subscriber's current values; empty for SMS. */
function subjectFor(message: LedgerMessageRow, subscriber: SubscriberRow): Promise<string> {
  if (message.channel !== 'email') return Promise.resolve('');
  const { source, fields } = message.frozen as Frozen;
  const values = toSubscriberValues(subscriber, fields);
  return renderSubject({ ...source, message_id: message.id }, values, clock.now());
}

type WhyQuery = {
  db: Reader;
  accountId: number;
  message: LedgerMessageRow;
  subscriber: SubscriberRow;
};
/** Returns the message's audience; an empty one selects no subscribers. */
const audienceOf = (message: LedgerMessageRow): Audience => ({
  all: false,
  groups: [],
  excluded: [],
  ...message.audience,
});

type Explanation = { answer: WhyAnswer; steps: ExplanationStep[] };

async function explainCampaign(query: WhyQuery): Promise<Explanation> {
  const { db, accountId, message, subscriber } = query;
  const now = clock.now();
  const position = await store.findRecipientPosition(db, accountId, message.id, subscriber.id, now);
  const selectionStep = await explainSelection(query, position !== undefined);
  if (!position) return notChosen(query, selectionStep);
  const attempts = await store.findAttempts(db, accountId, message.id, position);
  const show = await listRelaysShownTo(db, accountId);
  const steps: ExplanationStep[] = [
    selectionStep,
    ...attempts.map((attempt) => attemptPart(show(attempt))),
  ];
  const lastAttempt = attempts.at(-1);
  if (lastAttempt?.reason === 'suppressed') steps.splice(-1, 0, ...(await suppressedPart(query)));
  if (!lastAttempt && position.last_at !== null) {
    const { first_at: at, last_at } = position;
    const { relay } = show({ code: null, reply: null, relay: position.relay });
    steps.push({ kind: 'accepted', at, until: last_at?.toISOString() ?? null, relay });
    return { answer: 'got', steps };
  }
  const delayedRow = await store.findDelayed(db, accountId, message.id, position);
  if (delayedRow) {
    steps.push({ kind: 'held', at: delayedRow.next_attempt_at, reason: delayedRow.reason });
    return { answer: 'waits', steps };
  }
  if (lastAttempt) return { answer: ANSWERS[lastAttempt.state], steps };
  if (position.is_begun) return { answer: position.is_leased ? 'on_its_way' : 'unknown', steps };
  if (message.state === 'cancelled') {
    steps.push({ kind: 'skipped', at: message.finished_at, reason: 'cancelled' });
    return { answer: 'skipped', steps };
  }
  steps.push(queuedPart(message, position, now));
  return { answer: 'waits', steps };
}

/**
 * Returns the step of a recipient who waits, with the end of a warm-up delay or the opening of the
 * wave.
 */
function queuedPart(
  message: LedgerMessageRow,
  { opens_at: opens }: store.RecipientPosition,
  now: Date,
): ExplanationStep {
  const { state, state_reason: reason, held_until: heldUntil } = message;
  if (reason === null && opens !== null && opens > now) {
    return { kind: 'queued', at: opens, reason: 'wave' };
  }
  return {
    kind: 'queued',
    at: state === 'waiting' ? heldUntil : null,
    reason: reason ?? state,
  };
}

const ANSWERS: Record<store.AttemptRow['state'], WhyAnswer> = {
  accepted: 'got',
  deferred: 'waits',
  failed: 'refused',
  skipped: 'skipped',
  unknown: 'unknown',
};

const attemptPart = ({
  state,
  at,
  code,
  reply,
  reason,
  relay,
}: store.AttemptRow): ExplanationStep => ({
  kind: state,
  at,
  code,
  reply,
  reason,
  relay,
});

/**
 * Returns the step that shows why the audience contains the subscriber: all subscribers,
 * non-openers, a group or a segment. Groups are named if the subscriber is in them now.
 */
async function explainSelection(
  { db, accountId, message, subscriber }: WhyQuery,
  isIn: boolean,
): Promise<ExplanationStep> {
  const audience = audienceOf(message);
  const at = message.audience_as_of;
  if (audience.all) return { kind: 'matched', at, reason: 'all' };
  if (audience.unopened !== undefined) return { kind: 'matched', at, reason: 'unopened' };
  const memberships = await store.findMemberSince(db, accountId, subscriber.id, audience.groups);
  const titles = await readGroupTitles(
    db,
    accountId,
    memberships.map((row) => row.group_id),
  );
  const names = memberships.flatMap((row) => titles.get(row.group_id) ?? []);
  const bySegment = isIn && (audience.segments?.length ?? 0) > 0;
  const reason = names.length > 0 ? 'groups' : bySegment ? 'segment' : null;
  return { kind: 'matched', at, names, reason };
}

/** Explains why a subscriber is not in the ledger, as far as current data shows it. */
async function notChosen(query: WhyQuery, selectionStep: ExplanationStep): Promise<Explanation> {
  const { db, accountId, message, subscriber } = query;
  const asOf = message.audience_as_of ?? message.created_at;
  if (!message.is_audience_complete) return { answer: 'not_ready', steps: [] };
  if (subscriber.created_at > asOf) {
    return { answer: 'joined_later', steps: [{ kind: 'joined_later', at: subscriber.created_at }] };
  }
  const audience = audienceOf(message);
  const ofGroup = await explainGroup(query, selectionStep);
  if (ofGroup) return ofGroup;
  const selection = await checkSelection(
    db,
    accountId,
    getMessageKindRules(message.kind).channel,
    audience,
    clock.now(),
    subscriber.id,
  );
  const reasons = await leftOut(query, asOf, selection?.reason ?? null);
  if (selection?.is_named && reasons.length > 0) {
    return { answer: 'left_out', steps: [selectionStep, ...reasons] };
  }
  if (selection?.is_named && !audience.all && selectionStep.names?.length) {
    const memberships = await store.findMemberSince(db, accountId, subscriber.id, audience.groups);
    const firstJoined = memberships.map((row) => row.created_at).sort((a, b) => +a - +b)[0];
    if (firstJoined && firstJoined > asOf) {
      const { names } = selectionStep;
      return { answer: 'joined_later', steps: [{ kind: 'joined_later', at: firstJoined, names }] };
    }
  }
  if (selection?.is_named) {
    // Memberships have changed since, and only the current ones are known.
    return {
      answer: 'left_out',
      steps: [
        { ...selectionStep, at: null },
        { kind: 'left_out', at: asOf },
      ],
    };
  }
  return { answer: 'not_chosen', steps: [{ kind: 'not_matched', at: asOf }] };
}

/**
 * Explains subscribers who are in the holdout group of an experiment or wait for its winner.
 */
async function explainGroup(
  { db, accountId, message, subscriber }: WhyQuery,
  selectionStep: ExplanationStep,
): Promise<Explanation | undefined> {
  const { places, split, ...audience } = audienceOf(message);
  if (!places || !split) return undefined;
  const at = message.audience_as_of;
  if (await isHeldOut(db, accountId, message.id, subscriber.id)) {
    return { answer: 'left_out', steps: [selectionStep, { kind: 'held_out', at }] };
  }
  const bucket = computeBucket(places.salt, subscriber.id);
  const isTested = places.ranges.some(({ from, to }) => bucket >= from && bucket < to);
  const hasRest = split.parts.every(({ to }) => to < split.holdout.from);
  if (isTested || !hasRest || message.state === 'cancelled') return undefined;
  const { channel } = getMessageKindRules(message.kind);
  const now = clock.now();
  const selection = await checkSelection(db, accountId, channel, audience, now, subscriber.id);
  if (!selection?.is_named || selection.reason !== null) return undefined;
  const group = await findMessagesOfLead(db, accountId, toLeadId(message.id));
  // The message to the remaining recipients was already written, without this subscriber.
  if (group.length > split.parts.length) return undefined;
  return {
    answer: 'waits',
    steps: [selectionStep, { kind: 'queued', reason: 'waits_for_winner' }],
  };
}

/** Returns the steps that explain an exclusion, with its start if known. */
async function leftOut(
  query: WhyQuery,
  asOf: Date,
  reason: string | null,
): Promise<ExplanationStep[]> {
  const { db, accountId, message, subscriber } = query;
  if (reason === null) return [];
  if (reason === 'excluded' || reason === 'excluded_segment') {
    const { excluded } = audienceOf(message);
    const memberships = await store.findMemberSince(db, accountId, subscriber.id, excluded);
    const titles = await readGroupTitles(
      db,
      accountId,
      memberships.map((row) => row.group_id),
    );
    return [{ kind: 'excluded', at: asOf, names: [...titles.values()], reason }];
  }
  if (reason === 'received_before') return [{ kind: 'received_before', at: asOf }];
  if (reason === 'suppressed') {
    const suppressionSteps = await suppressedPart(query);
    return suppressionSteps.length > 0 ? suppressionSteps : [{ kind: 'suppressed', at: null }];
  }
  if (reason === 'paused') {
    return [{ kind: 'paused', at: null, until: subscriber.paused_until?.toISOString() ?? null }];
  }
  const changes = await listStatusChanges(db, accountId, subscriber.id);
  const { channel: by, permission } = getMessageKindRules(message.kind);
  const channel = getStatusChannel(by, permission === 'marketing');
  const change = changes.find((change) => change.channel === channel);
  return [{ kind: 'status', at: change?.at ?? null, reason }];
}

/** Returns the step of a suppression, with its start and reason; none if it has ended. */
async function suppressedPart({
  db,
  accountId,
  message,
  subscriber,
}: WhyQuery): Promise<ExplanationStep[]> {
  const { channel: by, permission } = getMessageKindRules(message.kind);
  const channel = getStatusChannel(by, permission === 'marketing');
  const key = by === 'email' ? subscriber.email_key : subscriber.phone_key;
  const suppression = await store.findSuppression(db, accountId, channel, key ?? '');
  return suppression
    ? [{ kind: 'suppressed', at: suppression.created_at, reason: suppression.reason }]
    : [];
}

async function explainSingle(query: WhyQuery): Promise<Explanation> {
  const { db, accountId, message, subscriber } = query;
  const singles = await store.listSinglesOfMessage(db, accountId, message.id, subscriber.id);
  const lastSingle = singles.at(-1);
  if (!lastSingle) return { answer: 'not_chosen', steps: [{ kind: 'not_matched' }] };
  const show = await listRelaysShownTo(db, accountId);
  const steps = singles.map((single): ExplanationStep => {
    const { code, reply, reason, relay } = show(single);
    const details = { code, reply, reason, relay };
    if (single.finished_at) {
      return { kind: single.state as WhyStepKind, at: single.finished_at, ...details };
    }
    return single.state === 'pending'
      ? { kind: 'queued', at: single.created_at }
      : { kind: 'held', at: single.next_attempt_at, ...details };
  });
  if (lastSingle.reason === 'suppressed') steps.splice(-1, 0, ...(await suppressedPart(query)));
  const state = lastSingle.state as keyof typeof ANSWERS | 'pending' | 'handing_over';
  if (state === 'pending') return { answer: 'waits', steps };
  return { answer: state === 'handing_over' ? 'on_its_way' : ANSWERS[state], steps };
}

type FollowUp = { steps: ExplanationStep[]; hasBounced: boolean; hasActed: boolean };

/** Returns the events of the copy after its handoff. */
async function afterwards({ db, accountId, message, subscriber }: WhyQuery): Promise<FollowUp> {
  const outcome = await store.findOutcome(db, accountId, message.id, subscriber.id);
  if (!outcome) return { steps: [], hasBounced: false, hasActed: false };
  const bounces = await store.readBounceDiagnostics(db, accountId, message.id, subscriber.id);
  const bounceParts = (
    kind: 'hard_bounce' | 'soft_bounce' | 'complaint',
    at: Date | null,
  ): ExplanationStep[] => {
    const { code = null, reply = null } = bounces.find((bounce) => bounce.kind === kind) ?? {};
    return at ? [{ kind, at, code, reply }] : [];
  };
  const engagementSteps = (
    kind: 'opened' | 'clicked',
    any: Date | null,
    human: Date | null,
  ): ExplanationStep[] => (any ? [{ kind, at: human ?? any, is_human: human !== null }] : []);
  const steps: ExplanationStep[] = [
    ...bounceParts('hard_bounce', outcome.hard_bounced_at),
    ...bounceParts('soft_bounce', outcome.soft_bounced_at),
    ...engagementSteps('opened', outcome.first_open_at, outcome.first_human_open_at),
    ...engagementSteps('clicked', outcome.first_click_at, outcome.first_human_click_at),
    ...(outcome.unsubscribed_at
      ? [{ kind: 'unsubscribe' as const, at: outcome.unsubscribed_at }]
      : []),
    ...bounceParts('complaint', outcome.complained_at),
  ];
  steps.sort((a, b) => (a.at?.getTime() ?? 0) - (b.at?.getTime() ?? 0));
  // A refusal at the handoff is not shown as a bounce, because its attempt shows it.
  const isRefusal = outcome.returned_at === null;
  return {
    steps: isRefusal ? steps.filter(({ kind }) => !kind.endsWith('_bounce')) : steps,
    hasBounced: !isRefusal,
    hasActed: steps.some(({ kind }) => !kind.endsWith('_bounce')),
  };
}

/** Codes of RFC 6531 for an address that needs a relay with SMTPUTF8. */
const NEEDS_UTF8 = /^[45]\.6\.[789]$/;

function present(step: ExplanationStep): WhyStep {
  const needsUtf8 = NEEDS_UTF8.test(step.code ?? '');
  return {
    until: null,
    names: [],
    reason: null,
    code: null,
    reply: null,
    relay: null,
    is_human: null,
    ...step,
    ...(needsUtf8 && { reason: 'needs_utf8' }),
    at: step.at?.toISOString() ?? null,
  };
}

const MAX_SINGLES = 100;

/** Lists the subscriber's newest single sends. */
export async function listSingles(db: Reader, accountId: number, subscriberId: number) {
  await readSubscriber(db, accountId, subscriberId);
  const rows = await store.listSinglesOfSubscriber(db, accountId, subscriberId, MAX_SINGLES);
  return rows.map((row) => ({
    message: encodeId('message', row.message_id),
    kind: row.kind,
    subject: row.subject ?? '',
    state: row.state,
    created: row.created_at.toISOString(),
    finished: row.finished_at?.toISOString() ?? null,
  }));
}
