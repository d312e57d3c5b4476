// Checks the links of a draft. It uses the network, so it is separate from the other checks.
import { type Db, inTransaction, type Reader } from '#platform/server/database/database.ts';
import { probe } from '#platform/server/outgoing/outgoing-request.ts';
import { requireToken } from '#platform/server/limits/rate-limit.ts';
import type { ComposingFinding } from '../../composing-contract.ts';
import { ContentError } from '../personalization/message-source.ts';
import { extractNewLinks } from '../thread.ts';
import type { Email, EmailAdapter, SendingOptions } from './email.ts';
import { createPreviewSource } from './source.ts';

const MAX_LINKS = 50;
const MAX_CONCURRENT_REQUESTS = 8;
const TIMEOUT_MS = 6000;
/** Rate limit per account: each check may contact fifty hosts. */
const CHECKS = { capacity: 20, perSecond: 0.1 };

/**
 * Requests the first links of the email, up to `MAX_LINKS`. Returns a finding for each that
 * responds with 404, 410 or 5xx, or does not respond.
 */
export async function checkLinks(
  db: Db,
  adapter: Pick<EmailAdapter, 'find'>,
  accountId: number,
  id: number,
  options: SendingOptions,
): Promise<ComposingFinding[]> {
  await requireToken(db, `link-check:${accountId}`, CHECKS);
  const urls = await inTransaction(db, async (tx) =>
    listEmailLinks(tx, await adapter.find(tx, accountId, id), options),
  );
  const findings: ComposingFinding[] = [];
  const waiting = [...urls];
  const work = async () => {
    for (let url = waiting.shift(); url !== undefined; url = waiting.shift()) {
      const result = await checkLink(url);
      if (result) findings.push(result);
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT_REQUESTS }, work));
  const findPosition = (composingFinding: ComposingFinding) =>
    urls.indexOf(String(composingFinding.values?.url));
  return findings.sort((a, b) => findPosition(a) - findPosition(b));
}

/** Lists the first links without recipient values, in the order of the email. */
async function listEmailLinks(
  db: Reader,
  email: Email,
  options: SendingOptions,
): Promise<string[]> {
  try {
    const { source } = await createPreviewSource(db, email, options);
    // Plain URLs without UTM parameters, so that checks do not count as visits.
    const untaggedSource = { ...source, utm: undefined, is_tracked: true };
    const links = await extractNewLinks({ ...untaggedSource, message_id: 0 });
    const constantUrls = links.map((link) => link.url).filter((url) => !/\{\{|\{\$/.test(url));
    return [...new Set(constantUrls)].slice(0, MAX_LINKS);
  } catch (error) {
    // Content that cannot be compiled is reported by the other checks.
    if (error instanceof ContentError) return [];
    throw error;
  }
}

/** Links that refuse automated requests (401, 403, 405, 429 …) are not broken. */
async function checkLink(url: string): Promise<ComposingFinding | undefined> {
  try {
    const status = await probe(url, TIMEOUT_MS);
    const isBroken = status === 404 || status === 410 || status >= 500;
    return isBroken ? createFinding('link_broken', { url, status }) : undefined;
  } catch {
    return createFinding('link_unreachable', { url });
  }
}

function createFinding(code: string, values: Record<string, string | number>): ComposingFinding {
  return { code, severity: 'warning', step: 'content', part: 'html', values };
}
