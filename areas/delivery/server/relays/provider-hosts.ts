// The service of a relay, by its host: some report by their own identifiers, or by webhooks
// alone.
import type { HookProvider } from '../../webhooks-limits.ts';

const DOMAINS = {
  sendgrid: 'sendgrid.net',
  postmark: 'postmarkapp.com',
  mailgun: 'mailgun.org',
} as const satisfies Partial<Record<HookProvider, string>>;

type ProviderName = keyof typeof DOMAINS;

/** Undefined for other hosts, also for Amazon SES over SMTP. */
export function providerOfHost(host: string): ProviderName | undefined {
  const name = host.toLowerCase();
  return (Object.keys(DOMAINS) as ProviderName[]).find(
    (provider) => name === DOMAINS[provider] || name.endsWith(`.${DOMAINS[provider]}`),
  );
}
