// Fast warnings about an email without rendering it, cheap enough for every email of a workflow
// each time the workflow's steps are shown.
import type { Reader } from '#platform/server/database/database.ts';
import type { Email } from './email.ts';
import { readStoredContent } from './source.ts';
import { parseReadableDocument } from '../content-source.ts';
import { findShortPools } from './coupon-needs.ts';
import { listDocumentFindings } from '../checks/document-findings.ts';
import { ContentError } from '../personalization/message-source.ts';

/**
 * `coupons_short`: a pool has fewer codes than recipients; `link_empty`: a button or link without
 * target.
 */
export type QuickFinding = 'coupons_short' | 'link_empty';

export async function listQuickFindings(
  db: Reader,
  email: Pick<Email, 'accountId' | 'content'>,
  recipients: number,
): Promise<QuickFinding[]> {
  const pools = await findShortPools(db, email, recipients);
  const quickFindings: QuickFinding[] = pools.length > 0 ? ['coupons_short'] : [];
  const content = await readStoredContent(db, email);
  if (content.kind !== 'editor') return quickFindings;
  try {
    const findings = listDocumentFindings(parseReadableDocument(content.document));
    if (findings.some((finding) => finding.code === 'link_empty')) quickFindings.push('link_empty');
  } catch (error) {
    // Unreadable content is reported by another finding.
    if (!(error instanceof ContentError)) throw error;
  }
  return quickFindings;
}
