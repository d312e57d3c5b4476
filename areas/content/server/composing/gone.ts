// What an email names and the account no longer has.
import type { Reader } from '#platform/server/database.ts';
import type { EmailDocument } from '../../document.ts';
import { locateFindings } from '../document-findings.ts';
import { goneConditions } from '../gone-conditions.ts';
import { goneImages } from '../images.ts';
import type { Finding } from '../message-source.ts';

/**
 * An error for each picture that was taken out of the library, and for each section whose condition names a
 * group, segment or field that is gone.
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
