// Recognizes a relay's provider by its host: some providers report bounces with identifiers of
// their own, or only by webhooks.
import type { HookProvider } from '../../webhooks-limits.ts';

const DOMAINS = {
  sendgrid: 'sendgrid.net',
  postmark: 'postmarkapp.com',
  mailgun: 'mailgun.org',
} as const satisfies Partial<Record<HookProvider, string>>;

type ProviderName = keyof typeof DOMAINS;

/** Undefined for all other hosts, including Amazon SES over SMTP. */
export function providerOfHost(host: string): ProviderName | undefined {
  const name = host.toLowerCase();
  return (Object.keys(DOMAINS) as ProviderName[]).find(
    (provider) => name === DOMAINS[provider] || name.endsWith(`.${DOMAINS[provider]}`),
  );
}
