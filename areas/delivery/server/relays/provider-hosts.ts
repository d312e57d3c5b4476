// Recognizes a relay's provider by its host, for providers that report bounces with their own
// identifiers or only by webhooks.
import type { HookProvider } from '../../webhooks-limits.ts';

const DOMAINS = {
  sendgrid: 'sendgrid.net',
  postmark: 'postmarkapp.com',
  mailgun: 'mailgun.org',
} as const satisfies Partial<Record<HookProvider, string>>;

type ProviderName = keyof typeof DOMAINS;

/** Returns undefined for other hosts; Amazon SES is recognized by `isAmazonSes`. */
export function findProviderOfHost(host: string): ProviderName | undefined {
  const name = host.toLowerCase();
  return (Object.keys(DOMAINS) as ProviderName[]).find(
    (provider) => name === DOMAINS[provider] || name.endsWith(`.${DOMAINS[provider]}`),
  );
}
