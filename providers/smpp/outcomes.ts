// Classifies the status of a submit_sm response (SMPP 3.4, 5.1.3).
import type { HandoffResult } from '#areas/delivery/server/relays/provider.ts';

const BASE = { scope: 'recipient', step: 'request', code: 0, enhancedCode: '', reply: '' } as const;

const NAMES: Record<number, string> = {
  ...{ 0x08: 'System error', 0x0a: 'Invalid source address', 0x0b: 'Invalid destination address' },
  ...{ 0x0d: 'Bind failed', 0x0e: 'Invalid password', 0x0f: 'Invalid system id' },
  ...{ 0x14: 'Message queue full', 0x45: 'Submit failed', 0x58: 'Throttled' },
  ...{ 0x61: 'Invalid schedule', 0x62: 'Invalid validity', 0x64: 'Temporary error' },
  ...{ 0x65: 'Permanent error', 0x66: 'Rejected' },
};
/** Statuses that throttle the whole connection for a while. */
const SLOWER = new Set([0x58, 0x14, 0x08, 0x64]);
const SOURCE = new Set([0x0a, 0x48, 0x49]);
const INVALID_RECIPIENT = new Set([0x0b, 0x50, 0x51]);
const SLOWER_MS = 1_000;
const REFUSED_MS = 60_000;

export const isSlower = (status: number) => SLOWER.has(status);

export const describeStatus = (status: number) =>
  `0x${status.toString(16).padStart(2, '0')} ${NAMES[status] ?? 'Refused'}`;

export function buildRefusedResult(status: number): HandoffResult {
  const base = { ...BASE, code: status, reply: describeStatus(status) };
  if (SLOWER.has(status)) {
    return { ...base, outcome: 'deferred', scope: 'relay', retryInMs: SLOWER_MS };
  }
  if (SOURCE.has(status)) return { ...base, outcome: 'relay_refused', scope: 'sender' };
  if (INVALID_RECIPIENT.has(status))
    return { ...base, outcome: 'failed', sms: { isUnknownRecipient: true } };
  return { ...base, outcome: 'failed' };
}

/** Returned when the SMSC rejects our account. */
export const bindRefused = (status: number): HandoffResult => ({
  ...{ ...BASE, scope: 'relay', outcome: 'relay_refused', code: status },
  ...{ reply: describeStatus(status), retryInMs: REFUSED_MS },
});

/** Returned when the SMSC is unreachable. */
export const connectionLost = (reason: string, retryInMs: number): HandoffResult => ({
  ...{ ...BASE, scope: 'connection', outcome: 'deferred', reply: reason.slice(0, 500), retryInMs },
});

/**
 * Returned when some parts may have been accepted, so that the SMS is never resent automatically.
 */
export const UNKNOWN: HandoffResult = {
  ...{ ...BASE, scope: 'connection', outcome: 'unknown' },
  reply: 'The connection ended before the response',
};

export const accepted = (
  remoteId: string,
  partCount: number,
  partIds: string[],
): HandoffResult => ({
  ...{ ...BASE, outcome: 'accepted', sms: { remoteId, parts: partCount, partIds } },
});
