// Public links to reports. They show statistics without personal data until they expire or are
// removed.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { decodePublicId, encodePublicId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { ReportLink } from '../contract.ts';
import { readReportedCampaign } from './overview.ts';
import * as store from './sharing.sql.ts';

export const SHARED = '/shared/report/';

const DAY_MS = 86_400_000;

function present(
  publicUrl: string,
  accountId: number,
  { campaign_id, secret, expires_at }: store.SharingLinkRow,
): ReportLink {
  const id = encodePublicId('campaign', accountId, campaign_id);
  return { url: `${publicUrl}${SHARED}${id}.${secret}`, expires: expires_at.toISOString() };
}

export async function readLink(
  db: Reader,
  accountId: number,
  campaignId: number,
  publicUrl: string,
): Promise<ReportLink | null> {
  await readReportedCampaign(db, accountId, campaignId);
  const link = await store.findLink(db, accountId, campaignId);
  return link && link.expires_at > clock.now() ? present(publicUrl, accountId, link) : null;
}

/**
 * Creates a link, which replaces the earlier one.
 * @throws `not_found`, `not_sent_yet`
 */
export async function shareReport(
  tx: Tx,
  accountId: number,
  campaignId: number,
  days: number,
  publicUrl: string,
): Promise<ReportLink> {
  await readReportedCampaign(tx, accountId, campaignId);
  const now = clock.now();
  const link = {
    campaign_id: campaignId,
    secret: randomBytes(18).toString('base64url'),
    expires_at: new Date(now.getTime() + days * DAY_MS),
    created_at: now,
  };
  await store.saveLink(tx, accountId, link);
  return present(publicUrl, accountId, link);
}

export async function unshareReport(tx: Tx, accountId: number, campaignId: number): Promise<void> {
  await readReportedCampaign(tx, accountId, campaignId);
  await store.removeLink(tx, accountId, campaignId);
}

/** Finds the campaign of a link; returns undefined if the link is unknown, expired or removed. */
export async function findSharedReport(
  db: Reader,
  token: string,
): Promise<{ accountId: number; campaignId: number } | undefined> {
  const [id = '', secret = '', ...more] = token.split('.');
  const decodedId = decodePublicId('campaign', id);
  if (!decodedId || more.length > 0) return undefined;
  const { accountId, id: campaignId } = decodedId;
  const link = await store.findLink(db, accountId, campaignId);
  if (!link || link.expires_at <= clock.now() || !isSame(link.secret, secret)) return undefined;
  return { accountId, campaignId };
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
