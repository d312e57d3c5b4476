// Reports about an SMS campaign: revenue, usage, links, and lists of subscribers.
import type { ListRequest } from '#platform/contract.ts';
import { readAttributedRevenue } from '#areas/stores/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { buildListResponse } from '#platform/server/database/lists.ts';
import { findCreditCurrency } from '#areas/billing/server/index.ts';
import {
  countUndelivered,
  listUndelivered,
  findMessagesOfLead,
  readCountsByPrefix,
  readCountsByProvider,
  type SmsShare,
} from '#areas/delivery/server/ledger/index.ts';
import { findPhoneCountry } from '#areas/subscribers/server/index.ts';
import type { SmsUsage } from '../lookups-contract.ts';
import { getSmsRow } from './campaigns.ts';
import * as store from './report.sql.ts';

type List = ListRequest<'created'>;

/** Encodes a link's position as an ID that is valid only within its campaign. */
export const encodeLinkId = (position: number) => encodeId('link', position);

/**
 * Returns the messages of a sent campaign: several if it has an experiment. @throws `not_sent_yet`
 */
export async function findReportMessages(tx: Tx, accountId: number, id: number): Promise<number[]> {
  const { message_id: lead } = await getSmsRow(tx, accountId, id);
  if (lead === null) throw new AppError('not_sent_yet');
  return findMessagesOfLead(tx, accountId, lead);
}

export async function readEarned(tx: Tx, accountId: number, id: number) {
  return readAttributedRevenue(tx, accountId, await findReportMessages(tx, accountId, id));
}

export async function readLinks(tx: Tx, accountId: number, id: number) {
  const messageIds = await findReportMessages(tx, accountId, id);
  const rows = await store.readLinks(tx, accountId, messageIds);
  return rows.map(({ position, ...link }) => ({ id: encodeLinkId(position), ...link }));
}

/** Returns accepted SMS, parts and cost by country and by provider. */
export async function readShares(tx: Tx, accountId: number, id: number) {
  const messageIds = await findReportMessages(tx, accountId, id);
  const countries = new Map<string, SmsUsage>();
  for (const smsShare of await readCountsByPrefix(tx, accountId, messageIds)) {
    const name = smsShare.name === '' ? '' : (findPhoneCountry(smsShare.name) ?? '');
    const totals = countries.get(name);
    countries.set(
      name,
      totals ? addShares(totals, presentUsage(name, smsShare)) : presentUsage(name, smsShare),
    );
  }
  const providers = await readCountsByProvider(tx, accountId, messageIds);
  return {
    currency: (await findCreditCurrency(tx, accountId)).toUpperCase(),
    countries: [...countries.values()].toSorted((a, b) => b.accepted - a.accepted),
    providers: providers.map((provider) => presentUsage(provider.name, provider)),
  };
}

const presentUsage = (
  name: string,
  { charged_micros: micros, ...figures }: SmsShare,
): SmsUsage => ({
  ...figures,
  name,
  micros,
});

const addShares = (a: SmsUsage, b: SmsUsage): SmsUsage => ({
  name: a.name,
  accepted: a.accepted + b.accepted,
  undelivered: a.undelivered + b.undelivered,
  parts: a.parts + b.parts,
  micros: a.micros === null ? b.micros : a.micros + (b.micros ?? 0),
});

export async function listLinkClicks(
  tx: Tx,
  accountId: number,
  id: number,
  position: number,
  list: List,
) {
  const messageIds = await findReportMessages(tx, accountId, id);
  return buildListResponse(
    list,
    {
      rows: (slice) => store.listClicks(tx, accountId, messageIds, position, slice),
      total: () => store.countClickers(tx, accountId, messageIds, position),
    },
    presentSubscriber,
  );
}

export async function listSubscribers(
  tx: Tx,
  accountId: number,
  id: number,
  which: 'unsubscribes' | 'failed',
  list: List,
) {
  const messageIds = await findReportMessages(tx, accountId, id);
  const sumCounts = async (counts: Promise<Map<number, number>>) =>
    [...(await counts).values()].reduce((total, count) => total + count, 0);
  const reading = {
    unsubscribes: {
      rows: (slice: Parameters<typeof store.listUnsubscribes>[3]) =>
        store.listUnsubscribes(tx, accountId, messageIds, slice),
      total: () => sumCounts(store.countUnsubscribes(tx, accountId, messageIds)),
    },
    failed: {
      rows: (slice: Parameters<typeof store.listUnsubscribes>[3]) =>
        listUndelivered(tx, accountId, messageIds, slice),
      total: () => countUndelivered(tx, accountId, messageIds),
    },
  }[which];
  return buildListResponse(list, reading, presentSubscriber);
}

export function presentSubscriber({
  subscriber_id: id,
  firstname,
  lastname,
  phone,
  at,
  detail,
}: store.ReportedSubscriberRow) {
  return {
    person: {
      id: id === null ? null : encodeId('subscriber', id),
      name: [firstname, lastname].filter(Boolean).join(' '),
      phone: phone ?? '',
    },
    at: at.toISOString(),
    said: detail ?? '',
  };
}
