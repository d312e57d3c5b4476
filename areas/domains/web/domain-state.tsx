// Shows the state of a sending domain as a dot with a label.
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { StatusDot, type Tone } from '#platform/web/ui/status-dot.tsx';
import type { Domain, DnsRecord } from '../contract.ts';

export type DomainState = 'verified' | 'unconfirmed' | 'unpublished';

export function readState(domain: Domain): DomainState {
  if (domain.verified) return 'verified';
  return domain.email_verified ? 'unpublished' : 'unconfirmed';
}

export function DomainDot({ domain }: { domain: Domain }) {
  const t = useTexts('domains');
  const state = readState(domain);
  return (
    <StatusDot tone={state === 'verified' ? 'success' : 'warning'} label={t(`states.${state}`)} />
  );
}

/** Formats the address with its domain in Unicode. */
export const formatEmail = ({ email }: Domain): string => toUnicodeDomain(email);

/**
 * Returns the tone of a record. A missing required record has a stronger tone than an optional one.
 */
export function toTone(record: DnsRecord): Tone {
  if (record.state === 'ok') return 'success';
  if (record.state === 'unchecked') return 'neutral';
  return record.state === 'different' || record.required ? 'danger' : 'warning';
}
