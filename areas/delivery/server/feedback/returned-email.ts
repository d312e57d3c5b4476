// Processes an email to the return path: finds the copy that it is about and applies the event. The
// effects are committed before the SMTP server accepts the email, so no accepted email is lost.
import { getInstallationTokens, type TokenPurpose } from '#areas/tracking/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import { log } from '#platform/server/log.ts';
import { AppError } from '#platform/server/errors.ts';
import { counter } from '#platform/server/metrics.ts';
import { defineWork } from '#platform/server/work/work-pool.ts';
import { isHard } from './classification.ts';
import { findTokenPayload, applyFeedback } from './effects.ts';
import { MAX_REPORT_BYTES, type FeedbackReport, unreadableReport } from './report.ts';
import type { FeedbackEvent } from './hook-provider.ts';
import type { BouncedCopy } from './provider-event.ts';

/** An email as the SMTP server received it. */
export type ReturnedEmail = { from: string; to: readonly string[]; bytes: Buffer };

const BOUNCES = /^b\+([A-Za-z0-9_-]{40})$/;
const UNSUBSCRIBES = /^unsubscribe(?:\+([A-Za-z0-9_-]{40}))?$/i;
/** Mailboxes that receive feedback about this installation. */
const OPERATOR_MAILBOXES = /^(abuse|fbl|complaints|postmaster)$/i;

/**
 * Purposes of tokens that only the recipient and the servers in transit know. A Message-ID may
 * become public.
 */
const SECRET: readonly TokenPurpose[] = ['bounce', 'link'];

const receivedMails = counter('returned_mails_total', 'Emails received on the return path', ['is']);
const unproven = counter(
  'unproven_reports_total',
  'Unauthenticated complaints and bounces: recorded without a change of status',
  ['is'],
);

/** Parses in a thread with limited CPU time because untrusted senders write these emails. */
const readInThread = defineWork<{ bytes: Uint8Array; isUnsubscribeBox: boolean }, FeedbackReport>({
  kind: 'mime',
  url: new URL('./report-work.ts', import.meta.url),
  cpuMs: 2_000,
});

/**
 * Reads the report. An email that takes too long to parse is treated as unreadable because a retry
 * by the sending server would fail the same way.
 */
async function readReport(rawEmail: Buffer, isUnsubscribeBox: boolean): Promise<FeedbackReport> {
  const bytes = rawEmail.subarray(0, MAX_REPORT_BYTES);
  try {
    return await readInThread({ bytes, isUnsubscribeBox }, { key: 'returned mail' });
  } catch (error) {
    if (error instanceof AppError && error.code === 'work_too_heavy')
      return unreadableReport(bytes);
    throw error;
  }
}

/**
 * Returns whether this server receives email for the address. It refuses email for all other
 * addresses, so that it is not an open relay.
 */
export function acceptsEmailFor(address: string, bounceDomain: string): boolean {
  const atIndex = address.lastIndexOf('@');
  const local = address.slice(0, atIndex);
  const token = BOUNCES.exec(local)?.[1];
  // Return paths may use domains of accounts, so their token decides instead of the domain.
  if (token !== undefined) return getInstallationTokens().read(token, 'bounce') !== undefined;
  if (address.slice(atIndex + 1).toLowerCase() !== bounceDomain.toLowerCase()) return false;
  return UNSUBSCRIBES.test(local) || OPERATOR_MAILBOXES.test(local);
}

/**
 * Reads the email, applies its event, and returns its kind. Throws while the database is
 * unavailable, so that the sending server retries.
 */
export async function processReturnedEmail(
  db: Db,
  email: ReturnedEmail,
): Promise<FeedbackReport['kind']> {
  const locals = email.to.map((address) => address.slice(0, address.lastIndexOf('@')));
  const returnPaths = locals.flatMap((local) => BOUNCES.exec(local)?.[1] ?? []);
  const leaving = locals.filter((local) => UNSUBSCRIBES.test(local));
  const report = await readReport(email.bytes, leaving.length > 0);
  receivedMails.inc({ is: report.kind });
  const ownTokens = leaving.flatMap((local) => UNSUBSCRIBES.exec(local)?.[1] ?? []);
  const event = eventOf(report, [...returnPaths, ...ownTokens, ...report.tokenCandidates]);
  const payload = event && findTokenPayload(event.tokenCandidates);
  if (!event || !payload) {
    if (report.kind !== 'nothing')
      log.info('Bounce or complaint report does not match any message', { kind: report.kind });
    return report.kind;
  }
  if (event.isUnproven) unproven.inc({ is: event.kind });
  // Reports about different copies may have the same content.
  const eventId = `${event.eventId} ${payload.message} ${payload.subscriber} ${payload.ordinal}`;
  await inTransaction(db, (tx) =>
    applyFeedback(tx, payload.account, 'mail', [{ ...event, eventId }], 'mailto'),
  );
  return report.kind;
}

function eventOf(
  report: FeedbackReport,
  tokenCandidates: readonly string[],
): FeedbackEvent | undefined {
  const base = { eventId: report.id, at: clock.now(), isPermanent: true, code: '', diagnostic: '' };
  switch (report.kind) {
    case 'nothing':
      return undefined;
    case 'complaint': {
      // Reports are unsigned; only a token that is not public proves them.
      const secretCandidates = tokenCandidatesFor(tokenCandidates, SECRET);
      const isUnproven = secretCandidates.length === 0;
      const { diagnostic } = report;
      return {
        ...base,
        kind: 'complaint',
        diagnostic,
        isUnproven,
        tokenCandidates: isUnproven ? tokenCandidates : secretCandidates,
      };
    }
    case 'unsubscribe':
      // A Message-ID may be public, so only the token of a link may unsubscribe.
      return {
        ...base,
        kind: 'unsubscribe',
        tokenCandidates: tokenCandidatesFor(tokenCandidates, ['link']),
      };
    case 'bounces': {
      const { code, diagnostic, originalRecipient: recipient } = leastSevere(report.copies);
      // A report with only a Message-ID may be forged and marks no address as bounced.
      const secretCandidates = tokenCandidatesFor(tokenCandidates, SECRET);
      const isUnproven = secretCandidates.length === 0;
      const isPermanent = !isUnproven && !code.startsWith('4');
      const proof = isUnproven ? tokenCandidates : secretCandidates;
      // A recipient knows the return path of the copy and could forge a report about any address.
      const copy = { recipient, isRecipientUnproven: true };
      return {
        ...base,
        kind: 'bounce',
        isPermanent,
        isUnproven,
        code,
        diagnostic,
        ...copy,
        tokenCandidates: proof,
      };
    }
  }
}

function tokenCandidatesFor(
  tokenCandidates: readonly string[],
  purposes: readonly TokenPurpose[],
): string[] {
  const tokens = getInstallationTokens();
  return tokenCandidates.filter((candidate) =>
    purposes.some((purpose) => tokens.read(candidate, purpose) !== undefined),
  );
}

/**
 * Returns the least severe failure. A copy has one recipient; if a report names several, the
 * address is a mailing list, which must not be marked as bounced for one nonexistent member.
 */
function leastSevere(copies: readonly BouncedCopy[]): BouncedCopy {
  const [first] = copies;
  return (
    copies.find(({ code, diagnostic }) => !isHard(code, diagnostic)) ??
    first ?? { recipient: '', code: '', diagnostic: '' }
  );
}
