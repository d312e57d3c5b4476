// Turns events of lower areas into webhook events, in the transaction of the change. Listeners that
// would have to prepare many events, such as listeners for opens, first check whether an endpoint
// has the topic.
import { approvalDecided, approvalFiled } from '#areas/approvals/server/index.ts';
import { broadcastFinished, experimentDecided } from '#areas/broadcasts/server/index.ts';
import { campaignCreated } from '#areas/campaigns/server/index.ts';
import {
  channelOfKind,
  messageReturned,
  singlesAccepted,
  smsDelivered,
} from '#areas/delivery/server/index.ts';
import { healthChanged, getMailboxName } from '#areas/deliverability/server/index.ts';
import { customEventRecorded, findEventNames } from '#areas/events/server/index.ts';
import { formConfirmed, formSubmitted } from '#areas/forms/server/index.ts';
import { commentAdded } from '#areas/folders/server/index.ts';
import { groupCreated, findGroupsOfSubscribers, joinedGroup } from '#areas/groups/server/index.ts';
import { describeNaming } from '#platform/server/erasure/addresses.ts';
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
import { actionAudited } from '#platform/server/audit.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { Topic } from '../shared.ts';
import { addEvents, type EventDetails, OBJECT_TOPICS } from './bodies.ts';
import { deleteCallsAbout } from './calls.sql.ts';
import {
  deleteEventsNaming,
  deleteSubscriberEvents,
  hasEndpointFor,
  insertLastEvent,
  lacksEndpointFor,
} from './endpoints.sql.ts';

type SubscriberIds = { accountId: number; subscriberIds: readonly number[] };

const addSubscriberEvents = (
  tx: Tx,
  topic: Topic,
  { accountId, subscriberIds }: SubscriberIds,
  groupId?: number,
) =>
  addEvents(tx, accountId, {
    topic,
    subjectIds: subscriberIds,
    at: clock.now(),
    ...(groupId !== undefined && { groupId }),
  });

const addObjectEvent = (tx: Tx, topic: Topic, accountId: number, id: number) =>
  addEvents(tx, accountId, { topic, subjectIds: [id], at: clock.now() });

type SubjectEvent = { subscriberId: number | null; details: EventDetails };

/** A negative `subscriberId` is the negated id of a single send to an address without a subscriber. */
const subjectEventOf = (subscriberId: number): SubjectEvent =>
  subscriberId < 0
    ? { subscriberId: null, details: { single: -subscriberId } }
    : { subscriberId, details: {} };

function addSubjectEvents(
  tx: Tx,
  accountId: number,
  topic: Topic,
  subjectEvents: readonly SubjectEvent[],
) {
  if (subjectEvents.length === 0) return Promise.resolve();
  return addEvents(tx, accountId, {
    topic,
    subjectIds: subjectEvents.map((subjectEvent) => subjectEvent.subscriberId ?? 0),
    details: subjectEvents.map((subjectEvent) => subjectEvent.details),
    at: clock.now(),
  });
}

/** Reports only human opens and clicks, not those of scanners and proxies. */
const onEngagement = on(engagementRecorded, async (tx, { accountId, engagement }) => {
  if (!(await hasEndpointFor(tx, accountId, ['emails/opened', 'emails/clicked']))) return;
  for (const [kind, topic] of [
    ['open', 'emails/opened'],
    ['click', 'emails/clicked'],
  ] as const) {
    const humanActions = engagement.filter(
      (engagement) => engagement.kind === kind && engagement.verdict === 'human',
    );
    const subjectEvents = humanActions.map(({ subscriberId, messageId: message, position, at }) => {
      const { details, ...subjectEvent } = subjectEventOf(subscriberId);
      const linkPosition = position === null ? {} : { position };
      return {
        ...subjectEvent,
        details: { ...details, ...linkPosition, message, at: at.toISOString() },
      };
    });
    await addSubjectEvents(tx, accountId, topic, subjectEvents);
  }
});

const onSingleAccepted = on(singlesAccepted, async (tx, acceptance) => {
  const { accountId, messageId: message, kind, subscriberIds, singleIds } = acceptance;
  // An SMS is treated as delivered only when its provider reports it.
  if (channelOfKind(kind) !== 'email') return;
  if (!(await hasEndpointFor(tx, accountId, ['emails/delivered']))) return;
  const at = acceptance.at.toISOString();
  const subjectEvents = subscriberIds.map((id, index) => ({
    subscriberId: id > 0 ? id : null,
    details: { message, at, single: singleIds[index] ?? 0 },
  }));
  await addSubjectEvents(tx, accountId, 'emails/delivered', subjectEvents);
});

/**
 * Reports an email campaign in its public form, with the chosen subject. SMS campaigns have no
 * public form, so their event contains only the decision.
 */
const onExperimentDecided = on(
  experimentDecided,
  async (tx, { accountId, kind, campaignId, at }) => {
    const topic = 'experiments/decided';
    if (kind === 'campaign') await addObjectEvent(tx, topic, accountId, campaignId);
    if (kind !== 'sms_campaign' || !(await hasEndpointFor(tx, accountId, [topic]))) return;
    const body = { at: at.toISOString(), ...(await readSmsDecision(tx, accountId, campaignId)) };
    await addSubjectEvents(tx, accountId, topic, [{ subscriberId: null, details: { body } }]);
  },
);

const onSmsDelivered = on(smsDelivered, async (tx, delivery) => {
  const { accountId, messageId: message, subscriberId, singleId } = delivery;
  if (!(await hasEndpointFor(tx, accountId, ['sms/delivered']))) return;
  const single = singleId === null ? {} : { single: singleId };
  const details = { message, at: delivery.at.toISOString(), ...single };
  await addSubjectEvents(tx, accountId, 'sms/delivered', [{ subscriberId, details }]);
});

const onMessageReturned = on(
  messageReturned,
  async (tx, { accountId, messageId: message, returns, at }) => {
    if (!(await hasEndpointFor(tx, accountId, ['emails/bounced', 'emails/complained']))) return;
    const addReturns = (topic: Topic, returnsOfTopic: typeof returns) =>
      addSubjectEvents(
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
  },
);

type FormSignUp = { accountId: number; formId: number; subscriberIds: readonly number[]; at: Date };

/** Reports each sign-up once; with double opt-in, when it is confirmed. */
const addSignUp = (tx: Tx, { accountId, formId, subscriberIds, at }: FormSignUp) =>
  addSubjectEvents(
    tx,
    accountId,
    'forms/submitted',
    subscriberIds.map((subscriberId) => ({
      subscriberId,
      details: { at: at.toISOString(), said: { form: encodeId('form', formId) } },
    })),
  );

const onCustomEvent = on(customEventRecorded, async (tx, { accountId, eventId, subscriberIds }) => {
  if (!(await hasEndpointFor(tx, accountId, ['events/new']))) return;
  const type = (await findEventNames(tx, accountId, [eventId])).get(eventId);
  const details = { at: clock.now().toISOString(), said: { type } };
  const subjectEvents = subscriberIds.map((subscriberId) => ({ subscriberId, details }));
  await addSubjectEvents(tx, accountId, 'events/new', subjectEvents);
});

const onSmsReplied = on(
  smsReplied,
  (tx, { accountId, subscriberId, messageId, from, text, at }) => {
    const message = messageId === null ? {} : { message: messageId };
    const details = { ...message, at: at.toISOString(), said: { from, text } };
    return addSubjectEvents(tx, accountId, 'sms/replied', [{ subscriberId, details }]);
  },
);

const onRunsEnded = on(runsEnded, (tx, { accountId, workflowId, subscriberIds, outcome, at }) => {
  const extra = { workflow: encodeId('workflow', workflowId), outcome };
  const details = { at: at.toISOString(), said: extra };
  const subjectEvents = subscriberIds.map((subscriberId) => ({ subscriberId, details }));
  return addSubjectEvents(tx, accountId, 'workflows/finished', subjectEvents);
});

const onHealthChanged = on(healthChanged, (tx, { accountId, domain, mailbox, state, causes }) => {
  const extra = {
    ...{ domain, mailbox: mailbox === null ? null : getMailboxName(mailbox), state },
    causes: causes.map(({ cause, level, count, of, detail }) => ({
      ...{ cause, level, count, of },
      ...(detail !== undefined && { detail }),
    })),
  };
  const details = { at: clock.now().toISOString(), said: extra };
  return addSubjectEvents(tx, accountId, 'deliverability/changed', [
    { subscriberId: null, details },
  ]);
});

const onApprovalFiled = on(approvalFiled, (tx, { accountId, approvalId, kind, title, note }) => {
  const extra = { id: encodeId('approval', approvalId), kind, title, note };
  const details = { at: clock.now().toISOString(), said: extra };
  return addSubjectEvents(tx, accountId, 'approvals/new', [{ subscriberId: null, details }]);
});

const onApprovalDecided = on(approvalDecided, (tx, { accountId, approvalId, ...facts }) => {
  const { kind, title, state, reason } = facts;
  const extra = { id: encodeId('approval', approvalId), kind, title, state, reason };
  const details = { at: clock.now().toISOString(), said: extra };
  return addSubjectEvents(tx, accountId, 'approvals/decided', [{ subscriberId: null, details }]);
});

/**
 * Reports every change, unless the transaction already knows that no endpoint has the topic. It does
 * not query this first: the query took 5 % of the time of a frequent write, while adding no event
 * takes 2 %.
 */
const onActed = on(actionAudited, async (tx, auditedAction) => {
  const topic = 'audit/new';
  const { accountId, action, subject, via: actor, userId, fields } = auditedAction;
  if (await lacksEndpointFor(tx, accountId, topic)) return;
  const at = clock.now();
  const user = userId === null ? null : encodeId('user', userId);
  const event = { topic, at, action, subject, actor, user, fields, subscriber: null };
  await insertLastEvent(tx, { accountId, topic, body: JSON.stringify(event), at });
});

const onComment = on(commentAdded, (tx, { accountId, noteId, kind, itemId, text }) => {
  const extra = { id: encodeId('item_note', noteId), kind, object: encodeId(kind, itemId), text };
  const details = { at: clock.now().toISOString(), said: extra };
  return addSubjectEvents(tx, accountId, 'comments/new', [{ subscriberId: null, details }]);
});

/** Topics whose events contain content and titles that users wrote. */
const TOPICS_WITH_TEXTS: readonly Topic[] = [
  ...OBJECT_TOPICS,
  'comments/new',
  'approvals/new',
  'approvals/decided',
];

export const LISTENERS = [
  on(subscribersCreated, async (tx, created) => {
    // Subscribers created by imports are not reported.
    if (created.source !== 'import') await addSubscriberEvents(tx, 'subscribers/new', created);
  }),
  on(subscribersUpdated, (tx, update) => addSubscriberEvents(tx, 'subscribers/updated', update)),
  on(subscribersUnsubscribed, async (tx, unsubscribe) => {
    await addSubscriberEvents(tx, 'subscribers/unsubscribed', unsubscribe);
    if (!(await hasEndpointFor(tx, unsubscribe.accountId, ['groups/unsubscribed']))) return;
    const rows = await findGroupsOfSubscribers(
      tx,
      unsubscribe.accountId,
      unsubscribe.subscriberIds,
    );
    for (const [groupId, members] of Map.groupBy(rows, (row) => row.id)) {
      const subscriberIds = members.map((row) => row.subscriber_id);
      await addSubscriberEvents(
        tx,
        'groups/unsubscribed',
        { ...unsubscribe, subscriberIds },
        groupId,
      );
    }
  }),
  on(statusesChanged, async (tx, change) => {
    if (change.to === 'bounced') await addSubscriberEvents(tx, 'bounces/new', change);
  }),
  on(subscribersErased, async (tx, { accountId, subscriberIds, addresses }) => {
    await deleteSubscriberEvents(tx, accountId, subscriberIds, OBJECT_TOPICS);
    await deleteCallsAbout(tx, accountId, subscriberIds);
    if (addresses.length > 0)
      await deleteEventsNaming(tx, accountId, TOPICS_WITH_TEXTS, describeNaming(addresses));
  }),
  onApprovalFiled,
  onApprovalDecided,
  onActed,
  onComment,
  on(joinedGroup, (tx, joined) =>
    addSubscriberEvents(tx, 'groups/new-subscriber', joined, joined.groupId),
  ),
  on(groupCreated, (tx, creation) =>
    addObjectEvent(tx, 'groups/new', creation.accountId, creation.groupId),
  ),
  on(campaignCreated, (tx, creation) =>
    addObjectEvent(tx, 'campaigns/new', creation.accountId, creation.campaignId),
  ),
  on(broadcastFinished, async (tx, { accountId, kind, campaignId }) => {
    if (kind === 'campaign') await addObjectEvent(tx, 'campaigns/sent', accountId, campaignId);
  }),
  onExperimentDecided,
  onEngagement,
  onSingleAccepted,
  onSmsDelivered,
  onMessageReturned,
  on(formSubmitted, async (tx, submission) => {
    if (submission.isConfirmed) await addSignUp(tx, submission);
  }),
  on(formConfirmed, addSignUp),
  onCustomEvent,
  onSmsReplied,
  onRunsEnded,
  onHealthChanged,
];
