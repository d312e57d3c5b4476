// Turns events of lower areas into webhook events, in the transaction of the change. Listeners that
// would have to prepare many events, such as those of opens, first check whether an endpoint has the
// topic.
import { approvalDecided, approvalFiled } from '#areas/approvals/server/index.ts';
import { broadcastFinished, experimentDecided } from '#areas/broadcasts/server/index.ts';
import { campaignCreated } from '#areas/campaigns/server/index.ts';
import {
  channelOfKind,
  messageReturned,
  singlesAccepted,
  smsDelivered,
} from '#areas/delivery/server/index.ts';
import { healthChanged, nameOfMailbox } from '#areas/deliverability/server/index.ts';
import { customEventRecorded, findEventNames } from '#areas/events/server/index.ts';
import { formConfirmed, formSubmitted } from '#areas/forms/server/index.ts';
import { commentAdded } from '#areas/folders/server/index.ts';
import { groupCreated, findGroupsOfSubscribers, joinedGroup } from '#areas/groups/server/index.ts';
import { describeNaming } from '#areas/segments/server/index.ts';
import { readSmsDecision, smsReplied } from '#areas/sms/server/index.ts';
import {
  statusesChanged,
  subscribersCreated,
  subscribersErased,
  subscribersUnsubscribed,
  subscribersUpdated,
} from '#areas/subscribers/server/index.ts';
import { engagementRecorded } from '#areas/tracking/server/index.ts';
import { runsEnded } from '#areas/workflows/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { on } from '#platform/server/area.ts';
import { acted } from '#platform/server/audit.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { Topic } from '../shared.ts';
import { addEvents, type Details, OBJECT_TOPICS } from './bodies.ts';
import {
  deleteEventsNaming,
  deleteSubscriberEvents,
  hasEndpointFor,
  insertLastEvent,
  lacksEndpointFor,
} from './endpoints.sql.ts';

type People = { accountId: number; subscriberIds: readonly number[] };

const add = (tx: Tx, topic: Topic, { accountId, subscriberIds }: People, groupId?: number) =>
  addEvents(tx, accountId, {
    topic,
    subjectIds: subscriberIds,
    at: clock.now(),
    ...(groupId !== undefined && { groupId }),
  });

const addObjectEvent = (tx: Tx, topic: Topic, accountId: number, id: number) =>
  addEvents(tx, accountId, { topic, subjectIds: [id], at: clock.now() });

type Happening = { subscriberId: number | null; details: Details };

/** A negative `subscriberId` is the negated id of a single send to an address without a subscriber. */
const happeningOf = (subscriberId: number): Happening =>
  subscriberId < 0
    ? { subscriberId: null, details: { single: -subscriberId } }
    : { subscriberId, details: {} };

function addHappenings(tx: Tx, accountId: number, topic: Topic, happenings: readonly Happening[]) {
  if (happenings.length === 0) return Promise.resolve();
  return addEvents(tx, accountId, {
    topic,
    subjectIds: happenings.map((happening) => happening.subscriberId ?? 0),
    details: happenings.map((happening) => happening.details),
    at: clock.now(),
  });
}

/** Reports only opens and clicks by people, not those of scanners and proxies. */
const engaged = on(engagementRecorded, async (tx, { accountId, engagement }) => {
  if (!(await hasEndpointFor(tx, accountId, ['emails/opened', 'emails/clicked']))) return;
  for (const [kind, topic] of [
    ['open', 'emails/opened'],
    ['click', 'emails/clicked'],
  ] as const) {
    const humanActions = engagement.filter(
      (engagement) => engagement.kind === kind && engagement.verdict === 'human',
    );
    const happenings = humanActions.map(({ subscriberId, messageId: message, position, at }) => {
      const { details, ...happening } = happeningOf(subscriberId);
      const linkPosition = position === null ? {} : { position };
      return {
        ...happening,
        details: { ...details, ...linkPosition, message, at: at.toISOString() },
      };
    });
    await addHappenings(tx, accountId, topic, happenings);
  }
});

const accepted = on(singlesAccepted, async (tx, facts) => {
  const { accountId, messageId: message, kind, subscriberIds, singleIds } = facts;
  // An SMS counts as delivered only when its provider reports so.
  if (channelOfKind(kind) !== 'email') return;
  if (!(await hasEndpointFor(tx, accountId, ['emails/delivered']))) return;
  const at = facts.at.toISOString();
  const happenings = subscriberIds.map((id, index) => ({
    subscriberId: id > 0 ? id : null,
    details: { message, at, single: singleIds[index] ?? 0 },
  }));
  await addHappenings(tx, accountId, 'emails/delivered', happenings);
});

/**
 * Reports an email campaign in its public form, with the chosen subject. SMS campaigns have no
 * public form, so their event contains only the decision.
 */
const decided = on(experimentDecided, async (tx, { accountId, kind, campaignId, at }) => {
  const topic = 'experiments/decided';
  if (kind === 'campaign') await addObjectEvent(tx, topic, accountId, campaignId);
  if (kind !== 'sms_campaign' || !(await hasEndpointFor(tx, accountId, [topic]))) return;
  const body = { at: at.toISOString(), ...(await readSmsDecision(tx, accountId, campaignId)) };
  await addHappenings(tx, accountId, topic, [{ subscriberId: null, details: { body } }]);
});

const smsArrived = on(smsDelivered, async (tx, facts) => {
  const { accountId, messageId: message, subscriberId, singleId } = facts;
  if (!(await hasEndpointFor(tx, accountId, ['sms/delivered']))) return;
  const single = singleId === null ? {} : { single: singleId };
  const details = { message, at: facts.at.toISOString(), ...single };
  await addHappenings(tx, accountId, 'sms/delivered', [{ subscriberId, details }]);
});

const returned = on(messageReturned, async (tx, { accountId, messageId: message, returns, at }) => {
  if (!(await hasEndpointFor(tx, accountId, ['emails/bounced', 'emails/complained']))) return;
  const addReturns = (topic: Topic, returnsOfTopic: typeof returns) =>
    addHappenings(
      tx,
      accountId,
      topic,
      returnsOfTopic.map(({ subscriberId, kind, code, reply }) => {
        const extra = { kind, code, reply };
        return { subscriberId, details: { message, at: at.toISOString(), said: extra } };
      }),
    );
  const bounces = returns.filter(({ kind }) => kind.endsWith('bounce'));
  await addReturns('emails/bounced', bounces);
  const complaints = returns.filter(({ kind }) => kind === 'complaint');
  await addReturns('emails/complained', complaints);
});

type SignUp = { accountId: number; formId: number; subscriberIds: readonly number[]; at: Date };

/** Reports each sign-up once; with double opt-in, when it is confirmed. */
const signedUp = (tx: Tx, { accountId, formId, subscriberIds, at }: SignUp) =>
  addHappenings(
    tx,
    accountId,
    'forms/submitted',
    subscriberIds.map((subscriberId) => ({
      subscriberId,
      details: { at: at.toISOString(), said: { form: encodeId('form', formId) } },
    })),
  );

const recorded = on(customEventRecorded, async (tx, { accountId, eventId, subscriberIds }) => {
  if (!(await hasEndpointFor(tx, accountId, ['events/new']))) return;
  const type = (await findEventNames(tx, accountId, [eventId])).get(eventId);
  const details = { at: clock.now().toISOString(), said: { type } };
  const happenings = subscriberIds.map((subscriberId) => ({ subscriberId, details }));
  await addHappenings(tx, accountId, 'events/new', happenings);
});

const replied = on(smsReplied, (tx, { accountId, subscriberId, messageId, from, text, at }) => {
  const message = messageId === null ? {} : { message: messageId };
  const details = { ...message, at: at.toISOString(), said: { from, text } };
  return addHappenings(tx, accountId, 'sms/replied', [{ subscriberId, details }]);
});

const finished = on(runsEnded, (tx, { accountId, workflowId, subscriberIds, outcome, at }) => {
  const extra = { workflow: encodeId('workflow', workflowId), outcome };
  const details = { at: at.toISOString(), said: extra };
  const happenings = subscriberIds.map((subscriberId) => ({ subscriberId, details }));
  return addHappenings(tx, accountId, 'workflows/finished', happenings);
});

const healthWorsened = on(healthChanged, (tx, { accountId, domain, mailbox, state, causes }) => {
  const extra = {
    ...{ domain, mailbox: mailbox === null ? null : nameOfMailbox(mailbox), state },
    causes: causes.map(({ cause, level, count, of, detail }) => ({
      ...{ cause, level, count, of },
      ...(detail !== undefined && { detail }),
    })),
  };
  const details = { at: clock.now().toISOString(), said: extra };
  return addHappenings(tx, accountId, 'deliverability/changed', [{ subscriberId: null, details }]);
});

const approvalRequested = on(approvalFiled, (tx, { accountId, approvalId, kind, title, note }) => {
  const extra = { id: encodeId('approval', approvalId), kind, title, note };
  const details = { at: clock.now().toISOString(), said: extra };
  return addHappenings(tx, accountId, 'approvals/new', [{ subscriberId: null, details }]);
});

const approvalEnded = on(approvalDecided, (tx, { accountId, approvalId, ...facts }) => {
  const { kind, title, state, reason } = facts;
  const extra = { id: encodeId('approval', approvalId), kind, title, state, reason };
  const details = { at: clock.now().toISOString(), said: extra };
  return addHappenings(tx, accountId, 'approvals/decided', [{ subscriberId: null, details }]);
});

/**
 * Reports every change, unless the transaction already knows that no endpoint has the topic. It does
 * not query this first: the query took 5 % of the time of a frequent write, while adding no event
 * takes 2 %.
 */
const actRecorded = on(acted, async (tx, act) => {
  const topic = 'audit/new';
  const { accountId, action, subject, via: actor, userId, fields } = act;
  if (await lacksEndpointFor(tx, accountId, topic)) return;
  const at = clock.now();
  const user = userId === null ? null : encodeId('user', userId);
  const event = { topic, at, action, subject, actor, user, fields, subscriber: null };
  await insertLastEvent(tx, { accountId, topic, body: JSON.stringify(event), at });
});

const commented = on(commentAdded, (tx, { accountId, noteId, kind, itemId, text }) => {
  const extra = { id: encodeId('item_note', noteId), kind, object: encodeId(kind, itemId), text };
  const details = { at: clock.now().toISOString(), said: extra };
  return addHappenings(tx, accountId, 'comments/new', [{ subscriberId: null, details }]);
});

/** Topics whose events contain texts and titles that users wrote. */
const TOPICS_WITH_TEXTS: readonly Topic[] = [
  ...OBJECT_TOPICS,
  'comments/new',
  'approvals/new',
  'approvals/decided',
];

export const LISTENERS = [
  on(subscribersCreated, async (tx, facts) => {
    // Subscribers created by imports are not reported.
    if (facts.source !== 'import') await add(tx, 'subscribers/new', facts);
  }),
  on(subscribersUpdated, (tx, facts) => add(tx, 'subscribers/updated', facts)),
  on(subscribersUnsubscribed, async (tx, facts) => {
    await add(tx, 'subscribers/unsubscribed', facts);
    if (!(await hasEndpointFor(tx, facts.accountId, ['groups/unsubscribed']))) return;
    const rows = await findGroupsOfSubscribers(tx, facts.accountId, facts.subscriberIds);
    for (const [groupId, members] of Map.groupBy(rows, (row) => row.id)) {
      const subscriberIds = members.map((row) => row.subscriber_id);
      await add(tx, 'groups/unsubscribed', { ...facts, subscriberIds }, groupId);
    }
  }),
  on(statusesChanged, async (tx, facts) => {
    if (facts.to === 'bounced') await add(tx, 'bounces/new', facts);
  }),
  on(subscribersErased, async (tx, { accountId, subscriberIds, addresses }) => {
    await deleteSubscriberEvents(tx, accountId, subscriberIds, OBJECT_TOPICS);
    if (addresses.length > 0)
      await deleteEventsNaming(tx, accountId, TOPICS_WITH_TEXTS, describeNaming(addresses));
  }),
  approvalRequested,
  approvalEnded,
  actRecorded,
  commented,
  on(joinedGroup, (tx, facts) => add(tx, 'groups/new-subscriber', facts, facts.groupId)),
  on(groupCreated, (tx, facts) => addObjectEvent(tx, 'groups/new', facts.accountId, facts.groupId)),
  on(campaignCreated, (tx, facts) =>
    addObjectEvent(tx, 'campaigns/new', facts.accountId, facts.campaignId),
  ),
  on(broadcastFinished, async (tx, { accountId, kind, campaignId }) => {
    if (kind === 'campaign') await addObjectEvent(tx, 'campaigns/sent', accountId, campaignId);
  }),
  decided,
  engaged,
  accepted,
  smsArrived,
  returned,
  on(formSubmitted, async (tx, facts) => {
    if (facts.isConfirmed) await signedUp(tx, facts);
  }),
  on(formConfirmed, signedUp),
  recorded,
  replied,
  finished,
  healthWorsened,
];
