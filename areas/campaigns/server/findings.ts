// Findings before sending that depend on the recipients of a campaign: missing recipients, broken
// segments, limits of the plan, a suspended account, coupons, new sender domains, and empty merge
// tags.
import { type PlanCapacity, readPlanCapacity } from '#areas/billing/server/index.ts';
import { resolveAudience, findBrokenSegments } from '#areas/broadcasts/server/index.ts';
import { type SendingOptions, findShortPools } from '#areas/content/server/index.ts';
import {
  type Audience,
  countAudience,
  countWithout,
  type NamedValue,
} from '#areas/delivery/server/ledger/index.ts';
import { findNewSenderDomain } from '#areas/delivery/server/sender/index.ts';
import { readFields } from '#areas/fields/server/index.ts';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { Finding } from '../contract.ts';
import { toContentRef } from './campaigns.ts';
import type { CampaignRow } from './campaigns.sql.ts';
import { recipientsAdapter } from './recipients.ts';

/**
 * Adds findings about the recipients to `findings` and counts the recipients whose merge tags are
 * empty.
 * @param findings findings about content and sender
 * @param recipientCount recipients, if the caller has already counted them (counting is slow)
 */
export async function listRecipientsFindings(
  db: Reader,
  row: CampaignRow,
  findings: readonly Finding[],
  options: SendingOptions,
  recipientCount?: number,
): Promise<Finding[]> {
  const audience = await resolveAudience(db, recipientsAdapter, row);
  const selectedCount = audience.groups.length + (audience.segments?.length ?? 0);
  const hasRecipients = audience.all || audience.unopened !== undefined || selectedCount > 0;
  if (!hasRecipients)
    return [...findings, ...(await listAudienceFindings(db, row, undefined, options))];
  const withValues = await countEmpty(db, row.account_id, audience, findings);
  return [
    ...withValues,
    ...(await listAudienceFindings(db, row, audience, options, recipientCount)),
  ];
}

async function listAudienceFindings(
  db: Reader,
  row: CampaignRow,
  audience: Audience | undefined,
  options: SendingOptions,
  recipientCount?: number,
): Promise<Finding[]> {
  const broken = (await findBrokenSegments(db, recipientsAdapter, row)).map(({ title }) => ({
    ...createRecipientsFinding('segment_broken'),
    values: { title },
  }));
  if (!audience) return [...broken, createRecipientsFinding('recipients_missing')];
  const count = recipientCount ?? (await countAudience(db, row.account_id, audience)).count;
  if (count === 0) return [...broken, createRecipientsFinding('recipients_none')];
  const capacity = await readPlanCapacity(db, row.account_id);
  return [
    ...broken,
    ...listPlanFindings(capacity, count),
    ...(await listCouponFindings(db, row, count)),
    ...(await listNewDomainFindings(db, row, count, options)),
  ];
}

/**
 * Lists findings about plan limits that stop the campaign; limits that are only displayed are not
 * findings.
 */
function listPlanFindings(
  { emails, subscribers, isEnforced, isSuspended }: PlanCapacity,
  count: number,
): Finding[] {
  const findings: Finding[] = isSuspended ? [createRecipientsFinding('account_suspended')] : [];
  if (!isEnforced) return findings;
  const addFinding = (code: string, values: Finding['values']) =>
    findings.push({ ...createRecipientsFinding(code), step: 'plan', values });
  if (emails && count > emails.limit - emails.used) {
    addFinding('plan_emails', { left: Math.max(0, emails.limit - emails.used), total: count });
  }
  if (subscribers && subscribers.used > subscribers.limit) {
    addFinding('plan_people', { most: subscribers.limit, total: subscribers.used });
  }
  return findings;
}

/**
 * Warns if a pool has fewer codes than the campaign has recipients. This is not an error, because a
 * recipient without a code sees the block's fallback, or no coupon, which may be intended.
 */
async function listCouponFindings(db: Reader, row: CampaignRow, count: number): Promise<Finding[]> {
  const email = { accountId: row.account_id, content: toContentRef(row) };
  return (await findShortPools(db, email, count)).map(({ title, remaining }) => ({
    ...{ code: 'coupons_short', step: 'content' as const },
    ...{ severity: 'warning' as const, part: 'html' },
    values: { title, left: remaining, total: count },
  }));
}

/**
 * Warns about a large campaign from a new domain, which looks like spam; a warm-up spreads it over
 * days.
 */
async function listNewDomainFindings(
  db: Reader,
  row: CampaignRow,
  count: number,
  options: SendingOptions,
): Promise<Finding[]> {
  if (!options.needsVerifiedSender || row.from_email === '') return [];
  const domain = await findNewSenderDomain(db, row.account_id, row.from_email, count);
  if (domain === undefined) return [];
  return [
    {
      code: 'warm_up_advised',
      severity: 'warning',
      step: 'warm_up',
      part: 'sender',
      values: { domain: toUnicodeDomain(domain), total: count },
    },
  ];
}

/**
 * Adds the number of recipients without a value to findings about merge tags without a fallback.
 * Removes the finding if all recipients have a value.
 */
async function countEmpty(
  db: Reader,
  accountId: number,
  audience: Audience,
  findings: readonly Finding[],
): Promise<Finding[]> {
  const missingFallbacks = findings.filter((finding) => finding.code === 'tag_without_fallback');
  if (missingFallbacks.length === 0) return [...findings];
  const fields = await readFields(db, accountId);
  const values = missingFallbacks.flatMap(({ values: { name } = {} }): NamedValue[] => {
    if (name === 'firstname' || name === 'lastname' || name === 'phone') {
      return [{ name, column: name }];
    }
    const field = fields.find((field) => field.name === name);
    return field ? [{ name: field.name, field: field.id }] : [];
  });
  const lacking = await countWithout(db, accountId, audience, values);
  return findings.flatMap((finding) => {
    const count = missingFallbacks.includes(finding)
      ? lacking.get(String(finding.values?.name))
      : undefined;
    if (count === undefined) return [finding];
    if (count === 0) return [];
    return [{ ...finding, code: 'tag_empty_for', values: { ...finding.values, count } }];
  });
}

function createRecipientsFinding(code: string): Finding {
  return { code, severity: 'error', step: 'recipients', part: 'recipients' };
}
