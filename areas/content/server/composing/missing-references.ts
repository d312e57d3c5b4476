// Finds references of an email to deleted resources of the account.
import type { Reader } from '#platform/server/database/database.ts';
import type { EmailDocument } from '../../document.ts';
import { locateFindings } from '../checks/document-findings.ts';
import { findMissingConditions } from '../checks/broken-conditions.ts';
import { findMissingImages } from '../images/images.ts';
import type { ContentFinding } from '../personalization/message-source.ts';

/**
 * Returns an error for each image that was removed from the library, and for each section with a
 * condition on a deleted group, segment or field.
 */
export async function listMissingFindings(
  db: Reader,
  accountId: number,
  html: string,
  document?: EmailDocument,
): Promise<ContentFinding[]> {
  const missing = await findMissingImages(db, accountId, html);
  const findings = missing.map(
    (url): ContentFinding => ({
      code: 'image_deleted',
      severity: 'error',
      part: 'html',
      values: { url },
    }),
  );
  if (document === undefined) return findings;
  return [
    ...locateFindings(document, findings),
    ...(await findMissingConditions(db, accountId, document)),
  ];
}
