// Finds references of an email to deleted resources of the account.
import type { Reader } from '#platform/server/database/database.ts';
import type { EmailDocument } from '../../document.ts';
import { locateFindings } from '../checks/document-findings.ts';
import { missingConditions } from '../checks/broken-conditions.ts';
import { missingImages } from '../images/images.ts';
import type { Finding } from '../personalization/message-source.ts';

/**
 * Returns an error for each image that was removed from the library, and for each section whose
 * condition refers to a deleted group, segment or field.
 */
export async function missingFindings(
  db: Reader,
  accountId: number,
  html: string,
  document?: EmailDocument,
): Promise<Finding[]> {
  const missing = await missingImages(db, accountId, html);
  const findings = missing.map(
    (url): Finding => ({ code: 'image_deleted', severity: 'error', part: 'html', values: { url } }),
  );
  if (document === undefined) return findings;
  return [
    ...locateFindings(document, findings),
    ...(await missingConditions(db, accountId, document)),
  ];
}
