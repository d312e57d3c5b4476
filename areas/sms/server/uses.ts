// Event handlers and queries that SMS campaigns provide to other areas, for example which campaigns
// use a group, segment or field, and what happens when these are deleted.
import { approvalKinds } from '#areas/approvals/server/index.ts';
import {
  broadcastApprovals,
  type BroadcastAdapter,
  listBroadcastsReading,
  deleteChosen,
  createListeners,
  listMessagesOfBroadcasts,
  unscheduleRemoved,
  calendarEntries,
  createPlannedBroadcasts,
  recurring,
  listRecurringBroadcasts,
  withMessages,
} from '#areas/broadcasts/server/index.ts';
import { lineNames } from '#areas/content/server/index.ts';
import { getMessageKindRules } from '#areas/delivery/message-kinds.ts';
import { messageFailed } from '#areas/delivery/server/index.ts';
import { readSingleSms } from '#areas/delivery/server/ledger/index.ts';
import {
  bounce,
  subscribersErased,
  subscribersPurged,
  unsubscribe,
} from '#areas/subscribers/server/index.ts';
import { engagementRecorded } from '#areas/tracking/server/index.ts';
import { fieldUsedBy } from '#areas/fields/server/index.ts';
import { groupDeleted, groupUsedBy } from '#areas/groups/server/index.ts';
import {
  segmentDeleted,
  segmentInForce,
  segmentUsedBy,
  smsCampaignsNamed,
} from '#areas/segments/server/index.ts';
import { namesAddress } from '#platform/server/erasure/addresses.ts';
import {
  addressesErased,
  contentsNamingAddresses,
  eraseFromTexts,
} from '#platform/server/erasure/erasure.ts';
import { encodeId } from '#platform/ids.ts';
import { type Area, handleQuestion, on } from '#platform/server/area.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import { optOut } from './inbound.ts';
import {
  findCampaignsOfMessages,
  listNewestSms,
  rewriteTitles,
  type SmsRow,
  TABLES,
  listSmsToSend,
} from './sms.sql.ts';
import type { SmsCampaign } from '../contract.ts';
import { searchQuestion, searchIn } from '#platform/server/search/search.ts';
import { selectSearchableSms } from './sms.sql.ts';
import { findProvidersNaming, rewriteProviders } from './own-providers.sql.ts';
import { eraseReplies } from './inbound.sql.ts';
import { findSettingsNaming } from './settings.sql.ts';

type ReferenceKind = 'groups' | 'segments';

/** Maximum number of campaigns in an answer. */
const MAX_NAMED = 20;
/** Maximum number of campaigns, the newest ones, that are searched for an address. */
const MAX_SEARCHED = 500;

const erasureHandlers = [
  on(addressesErased, eraseFromTexts(rewriteTitles, rewriteProviders)),
  on(subscribersErased, eraseReplies),
  on(subscribersPurged, eraseReplies),
];

const findingHandlers = [
  handleQuestion(contentsNamingAddresses, findProvidersNaming),
  handleQuestion(contentsNamingAddresses, findSettingsNaming),
  handleQuestion(contentsNamingAddresses, async (tx, { accountId, addresses }) => {
    const rows = await listNewestSms(tx, accountId, MAX_SEARCHED);
    return presentUses(
      rows.filter(({ text }) => namesAddress(text, addresses)).slice(0, MAX_NAMED),
    );
  }),
];

export function createUsageHandlers(
  adapter: BroadcastAdapter<SmsRow, SmsCampaign>,
): Required<Pick<Area, 'eventHandlers' | 'questionHandlers'>> {
  return {
    eventHandlers: [
      on(groupDeleted, (tx, { accountId, groupId }) =>
        removeChosen(tx, accountId, 'groups', groupId),
      ),
      on(segmentDeleted, (tx, { accountId, segmentId }) =>
        removeChosen(tx, accountId, 'segments', segmentId),
      ),
      ...erasureHandlers,
      ...createListeners(adapter),
      on(engagementRecorded, hintClicks),
      on(messageFailed, handleFailures),
    ],
    questionHandlers: [
      handleQuestion(approvalKinds, async () => broadcastApprovals(adapter)),
      handleQuestion(
        calendarEntries,
        createPlannedBroadcasts(adapter, {
          row: 'sms',
          occurrence: 'sms_occurrence',
          decision: 'sms_decision',
        }),
      ),
      handleQuestion(recurring, listRecurringBroadcasts(adapter, 'sms')),
      handleQuestion(searchQuestion, searchIn('sms', 'sms', selectSearchableSms)),
      handleQuestion(groupUsedBy, (tx, { accountId, groupId }) =>
        findCampaignsWith(tx, accountId, 'groups', groupId),
      ),
      handleQuestion(segmentUsedBy, (tx, { accountId, segmentId }) =>
        findCampaignsWith(tx, accountId, 'segments', segmentId),
      ),
      handleQuestion(segmentInForce, async (tx, { accountId, segmentId }) => {
        const uses = await findCampaignsWith(tx, accountId, 'segments', segmentId);
        return uses.map((use) => ({ ...use, right: 'send' as const }));
      }),
      handleQuestion(fieldUsedBy, async (tx, { accountId, name }) => {
        const rows = await listSmsToSend(tx, accountId);
        return presentUses(rows.filter(({ text }) => lineNames(text, name)).slice(0, MAX_NAMED));
      }),
      ...findingHandlers,
      handleQuestion(smsCampaignsNamed, async (tx, { accountId, campaignIds }) =>
        withMessages(
          tx,
          accountId,
          await listMessagesOfBroadcasts(tx, TABLES, accountId, campaignIds),
        ),
      ),
    ],
  };
}

type MessageFailure = Parameters<Parameters<typeof messageFailed.on>[0]>[1];

/**
 * Handles `message.failed` of SMS: unsubscribes subscribers who opted out with the provider, and
 * marks subscribers whose number does not exist as bounced. If a single SMS was sent to a number
 * without a subscriber, and the number opted out, the number is suppressed.
 */
async function handleFailures(
  tx: Tx,
  { accountId, messageId, kind, failures }: MessageFailure,
): Promise<void> {
  if (getMessageKindRules(kind).channel !== 'sms' || kind === 'sms_test') return;
  const listIds = (matches: (failure: MessageFailure['failures'][number]) => boolean) =>
    failures.flatMap((failure) =>
      failure.subscriberId !== null && matches(failure) ? [failure.subscriberId] : [],
    );
  const optedOut = listIds((failure) => failure.hasOptedOut);
  const unreachable = listIds((failure) => failure.isUnknownRecipient);
  for (const channel of ['sms', 'tsms'] as const) {
    if (optedOut.length === 0) break;
    await unsubscribe(
      tx,
      accountId,
      { subscriberIds: optedOut },
      { channel, reason: 'stop', messageId },
    );
  }
  for (const { hasOptedOut, subscriberId, singleId } of failures) {
    if (!hasOptedOut || subscriberId !== null || singleId === null) continue;
    const recipient = (await readSingleSms(tx, accountId, singleId))?.recipient;
    if (recipient) await optOut(tx, accountId, recipient, undefined, messageId);
  }
  if (unreachable.length > 0) {
    await bounce(tx, accountId, { subscriberIds: unreachable }, { channel: 'sms', messageId });
  }
}

/** Makes open reports reload after new clicks. */
async function hintClicks(
  tx: Tx,
  {
    accountId,
    engagement,
  }: { accountId: number; engagement: { messageId: number; isSms?: boolean }[] },
): Promise<void> {
  const ids = new Set(engagement.filter((event) => event.isSms).map((event) => event.messageId));
  if (ids.size === 0) return;
  for (const id of await findCampaignsOfMessages(tx, accountId, [...ids]))
    sendChangeHint(tx, accountId, 'sms', id);
}

async function findCampaignsWith(tx: Tx, accountId: number, kind: ReferenceKind, chosenId: number) {
  return presentUses(await listBroadcastsReading(tx, TABLES, kind, accountId, chosenId));
}

const presentUses = (rows: readonly { id: number; title: string }[]) =>
  rows.map(({ id, title }) => ({ kind: 'sms', id: encodeId('sms', id), title }));

/**
 * Removes a deleted group or segment from all campaigns. Deleted campaigns that are scheduled and
 * use it become drafts first.
 */
async function removeChosen(
  tx: Tx,
  accountId: number,
  kind: ReferenceKind,
  chosenId: number,
): Promise<void> {
  await unscheduleRemoved(tx, TABLES, kind, accountId, chosenId);
  await deleteChosen(tx, TABLES, kind, accountId, chosenId);
}
