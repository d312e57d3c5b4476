// References of an email to deleted resources of the account.
import type { Reader } from '#platform/server/database/database.ts';
import type { EmailDocument } from '../../document.ts';
import { locateFindings } from '../checks/document-findings.ts';
import { goneConditions } from '../checks/gone-conditions.ts';
import { goneImages } from '../images/images.ts';
import type { Finding } from '../personalization/message-source.ts';

/**
 * An error for each image removed from the library, and for each section whose condition refers to
 * a deleted group, segment or field.
 */
export async function findingsOfGone(
  db: Reader,
  accountId: number,
  html: string,
  document?: EmailDocument,
): Promise<Finding[]> {
  const gone = await goneImages(db, accountId, html);
  const findings = gone.map(
    (url): Finding => ({ code: 'image_deleted', severity: 'error', part: 'html', values: { url } }),
  );
  if (document === undefined) return findings;
  return [
    ...locateFindings(document, findings),
    ...(await goneConditions(db, accountId, document)),
  ];
}
