// Reads where one campaign's copies were placed, by the mailbox provider of the seed mailboxes, and
// the campaign's highest spam rate at Gmail.
import { type Mailbox, MAILBOXES, getMailbox } from '#areas/subscribers/shared.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { CampaignEvidence, CampaignPlacement } from '../../placement-contract.ts';
import { getMailboxName } from '../health/mailbox-names.ts';
import { readHighestSpamRate } from '../signals/signals.sql.ts';
import { listMessageCopies } from './seeds.sql.ts';
import { readPlacement } from './seeds.ts';

/** The IMAP servers of hosts, for seed mailboxes at domains of their customers. */
const HOSTS = new Map<string, number>([
  ['imap.gmail.com', MAILBOXES.workspace],
  ['outlook.office365.com', MAILBOXES.microsoft365],
  ['imap.zoho.com', MAILBOXES.zoho],
  ['imap.zoho.eu', MAILBOXES.zoho],
  ['imap.ionos.com', MAILBOXES.ionos],
  ['imap.ionos.de', MAILBOXES.ionos],
  ['imap.one.com', MAILBOXES.onecom],
  ['imap.hostinger.com', MAILBOXES.hostinger],
  ['imap.fastmail.com', MAILBOXES.fastmail],
]);

const getSeedMailbox = ({ email, host }: { email: string; host: string }) =>
  getMailbox(email) || (HOSTS.get(host) ?? MAILBOXES.other);

const NO_COPIES = { inbox: 0, category: 0, spam: 0, missing: 0, unknown: 0, waiting: 0 };

/** @param messageIds the messages of one campaign */
export async function collectEvidence(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
): Promise<CampaignEvidence> {
  return {
    placements: await countPlacements(db, accountId, messageIds),
    gmail: (await readHighestSpamRate(db, accountId, messageIds)) ?? null,
  };
}

async function countPlacements(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
): Promise<CampaignPlacement[]> {
  const providers = new Map<Mailbox, CampaignPlacement>();
  for (const copy of await listMessageCopies(db, accountId, messageIds)) {
    const mailbox = getMailboxName(getSeedMailbox(copy));
    const counts = providers.get(mailbox) ?? { mailbox, ...NO_COPIES };
    providers.set(mailbox, counts);
    counts[readPlacement(copy) ?? 'waiting']++;
  }
  return [...providers.values()];
}
