// Processes an email to the return path: finds the copy it is about and applies the effects. All of
// this happens in one transaction before the final reply, so an email answered with 250 is in the
// database.
import { installationTokens, type TokenPurpose } from '#areas/tracking/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import { log } from '#platform/server/log.ts';
import { AppError } from '#platform/server/errors.ts';
import { counter } from '#platform/server/metrics.ts';
import { defineWork } from '#platform/server/work/work-pool.ts';
import { isHard } from './classification.ts';
import { factsIn, applyFeedback } from './effects.ts';
import { MAX_REPORT_BYTES, type Report, unreadable } from './report.ts';
import type { FeedbackEvent } from './hook-provider.ts';
import type { BouncedCopy } from './provider-event.ts';

/** An email as the SMTP server received it. */
export type ReturnedEmail = { from: string; to: readonly string[]; bytes: Buffer };

const BOUNCES = /^b\+([A-Za-z0-9_-]{40})$/;
const UNSUBSCRIBES = /^unsubscribe(?:\+([A-Za-z0-9_-]{40}))?$/i;
/** Mailboxes that receive complaints and personal email about this installation. */
const OPERATOR_MAILBOXES = /^(abuse|fbl|complaints|postmaster)$/i;

/**
 * Tokens known only to the recipient's mailbox and the servers on the way; a Message-ID is public.
 */
const SECRET: readonly TokenPurpose[] = ['bounce', 'link'];

const received = counter('returned_mails_total', 'Emails received on the return path', ['is']);
const unproven = counter(
  'unproven_reports_total',
  'Unauthenticated complaints and bounces: recorded without a change of status',
  ['is'],
);

/** Untrusted senders write these emails. */
const readInThread = defineWork<{ bytes: Uint8Array; isUnsubscribeBox: boolean }, Report>({
  kind: 'mime',
  url: new URL('./report-work.ts', import.meta.url),
  cpuMs: 2_000,
});

/**
 * An email that takes too long to parse is dropped: a retry by the relay would fail the same way.
 */
async function readReport(whole: Buffer, isUnsubscribeBox: boolean): Promise<Report> {
  const bytes = whole.subarray(0, MAX_REPORT_BYTES);
  try {
    return await readInThread({ bytes, isUnsubscribeBox }, { key: 'returned mail' });
  } catch (error) {
    if (error instanceof AppError && error.code === 'work_too_heavy') return unreadable(bytes);
    throw error;
  }
}

/**
 * Whether this server receives email for the address. All other addresses are refused: this server
 * is not an open relay.
 */
export function acceptsEmailFor(address: string, bounceDomain: string): boolean {
  const at = address.lastIndexOf('@');
  const local = address.slice(0, at);
  const token = BOUNCES.exec(local)?.[1];
  // Return paths may use the senders' own domains, so their token identifies this installation.
  if (token !== undefined) return installationTokens().read(token, 'bounce') !== undefined;
  if (address.slice(at + 1).toLowerCase() !== bounceDomain.toLowerCase()) return false;
  return UNSUBSCRIBES.test(local) || OPERATOR_MAILBOXES.test(local);
}

/**
 * Reads the email and applies its effects. Throws while the database is unavailable: the relay
 * retries.
 */
export async function processReturnedEmail(db: Db, email: ReturnedEmail): Promise<Report['is']> {
  const locals = email.to.map((address) => address.slice(0, address.lastIndexOf('@')));
  const returnPaths = locals.flatMap((local) => BOUNCES.exec(local)?.[1] ?? []);
  const leaving = locals.filter((local) => UNSUBSCRIBES.test(local));
  const report = await readReport(email.bytes, leaving.length > 0);
  received.inc({ is: report.is });
  const ownTokens = leaving.flatMap((local) => UNSUBSCRIBES.exec(local)?.[1] ?? []);
  const event = eventOf(report, [...returnPaths, ...ownTokens, ...report.traces]);
  const facts = event && factsIn(event.traces);
  if (!event || !facts) {
    if (report.is !== 'nothing') log.info('Returned report matches no message', { is: report.is });
    return report.is;
  }
  if (event.isUnproven) unproven.inc({ is: event.kind });
  // Two returned emails may have identical content.
  const eventId = `${event.eventId} ${facts.message} ${facts.subscriber} ${facts.ordinal}`;
  await inTransaction(db, (tx) =>
    applyFeedback(tx, facts.account, 'mail', [{ ...event, eventId }], 'mailto'),
  );
  return report.is;
}

function eventOf(report: Report, traces: readonly string[]): FeedbackEvent | undefined {
  const base = { eventId: report.id, at: clock.now(), isPermanent: true, code: '', words: '' };
  switch (report.is) {
    case 'nothing':
      return undefined;
    case 'complaint': {
      // These reports are unsigned: only a secret of the mailbox proves them.
      const secretTraces = tracesFor(traces, SECRET);
      const isUnproven = secretTraces.length === 0;
      const { words: diagnostic } = report;
      return {
        ...base,
        kind: 'complaint',
        words: diagnostic,
        isUnproven,
        traces: isUnproven ? traces : secretTraces,
      };
    }
    case 'unsubscribe':
      // A Message-ID is public: only the token of the link may unsubscribe.
      return { ...base, kind: 'unsubscribe', traces: tracesFor(traces, ['link']) };
    case 'bounces': {
      const { code, words: diagnostic, original: recipient } = leastSevere(report.copies);
      // These reports are unsigned, too: a public Message-ID alone marks no address as bounced.
      const secretTraces = tracesFor(traces, SECRET);
      const isUnproven = secretTraces.length === 0;
      const isPermanent = !isUnproven && !code.startsWith('4');
      const proof = isUnproven ? traces : secretTraces;
      // A recipient knows the return path of its email and could forge a report that names any
      // address.
      const of = { recipient, isRecipientUnproven: true };
      return {
        ...base,
        kind: 'bounce',
        isPermanent,
        isUnproven,
        code,
        words: diagnostic,
        ...of,
        traces: proof,
      };
    }
  }
}

function tracesFor(traces: readonly string[], purposes: readonly TokenPurpose[]): string[] {
  const tokens = installationTokens();
  return traces.filter((trace) =>
    purposes.some((purpose) => tokens.read(trace, purpose) !== undefined),
  );
}

/**
 * A copy has one recipient. If a report names several, the address is a mailing list, and one
 * nonexistent member marks no address as bounced.
 */
function leastSevere(copies: readonly BouncedCopy[]): BouncedCopy {
  const [first] = copies;
  return (
    copies.find(({ code, words: diagnostic }) => !isHard(code, diagnostic)) ??
    first ?? { recipient: '', code: '', words: '' }
  );
}
