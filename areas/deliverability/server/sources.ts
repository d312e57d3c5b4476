// Determines the sender of a row's email: this installation, a forwarder, a tool that signs with a
// key of the domain, another organization that DKIM or SPF proves, or a network.
import type { DmarcRow } from './reading/dmarc.ts';
import { isWithin, getNetwork, getOrganizationalDomain } from './reading/values.ts';

/** The reported domain, and the selectors and return path that identify this installation. */
export type OwnedSenders = { domain: string; selectors: readonly string[]; returnPath: string };

export const OWN_SOURCE = 'ours';
export const FORWARDED = 'forwarded';
/** Catch-all source for rows beyond the limit or without an identifiable sender. */
export const REMAINING_SOURCES = 'rest';

/** Returns `ours`, `forwarded`, `rest`, `domain:…`, `selector:…/…` or `network:…`. */
export function identifySource(row: DmarcRow, ownedSenders: OwnedSenders): string {
  if (isOurs(row, ownedSenders)) return OWN_SOURCE;
  const isAligned = row.dkimAligned || row.spfAligned;
  const isForwarded = row.override === 'forwarded' || row.override === 'mailing_list';
  if (isForwarded && !isAligned) return FORWARDED;
  if (row.isRest) return REMAINING_SOURCES;
  const organization = getOrganizationalDomain(ownedSenders.domain);
  if (row.dkimPassed && row.dkimDomain !== '') {
    const signer = getOrganizationalDomain(row.dkimDomain);
    if (signer !== organization) return `domain:${signer}`;
    if (row.dkimAligned) return `selector:${row.dkimDomain}/${row.selector}`;
  }
  if (row.spfPassed && row.spfDomain !== '') {
    const sender = getOrganizationalDomain(row.spfDomain);
    if (sender !== organization) return `domain:${sender}`;
  }
  const network = getNetwork(row.address);
  return network === '' ? REMAINING_SOURCES : `network:${network}`;
}

/**
 * Returns whether the email is from this installation. Only the installation has the private keys,
 * and only its servers pass SPF for its return path.
 */
function isOurs(row: DmarcRow, { domain, selectors, returnPath }: OwnedSenders): boolean {
  if (row.dkimPassed && row.dkimDomain === domain && selectors.includes(row.selector)) return true;
  return row.spfPassed && isWithin(row.spfDomain, returnPath);
}

/** Selectors and signing domains of common services, to suggest a name. */
const SELECTORS: readonly (readonly [RegExp, string])[] = [
  [/^google/, 'Google Workspace'],
  [/^selector[12]$/, 'Microsoft 365'],
  [/^k[123]$/, 'Mailchimp'],
  [/^mte?[12]$/, 'Mandrill'],
  [/^s[12]$/, 'SendGrid'],
  [/^hs[12]/, 'HubSpot'],
  [/^zendesk[12]$/, 'Zendesk'],
  [/^pm$|pm$/, 'Postmark'],
  [/^kl\d?$/, 'Klaviyo'],
  [/^fm[1-4]$/, 'Fastmail'],
  [/^protonmail[23]?$/, 'Proton Mail'],
  [/^zoho|^zmail/, 'Zoho'],
  [/^ctct[12]$/, 'Constant Contact'],
];
const DOMAINS: Readonly<Record<string, string>> = {
  'amazonses.com': 'Amazon SES',
  'sendgrid.net': 'SendGrid',
  'mailgun.org': 'Mailgun',
  'mcsv.net': 'Mailchimp',
  'mandrillapp.com': 'Mandrill',
  'mailchimpapp.net': 'Mailchimp',
  'shopifyemail.com': 'Shopify',
  'hubspotemail.net': 'HubSpot',
  'salesforce.com': 'Salesforce',
  'zendesk.com': 'Zendesk',
  'zcsend.net': 'Zoho',
  'onmicrosoft.com': 'Microsoft 365',
  'outlook.com': 'Microsoft 365',
  'google.com': 'Google Workspace',
  'gappssmtp.com': 'Google Workspace',
  'pphosted.com': 'Proofpoint',
  'mtasv.net': 'Postmark',
  'sparkpostmail.com': 'SparkPost',
  'mailjet.com': 'Mailjet',
  'sendinblue.com': 'Brevo',
  'brevosend.com': 'Brevo',
  'klaviyomail.com': 'Klaviyo',
  'stripe.com': 'Stripe',
  'intercom-mail.com': 'Intercom',
  'freshdesk.com': 'Freshdesk',
};

/** Returns the service that the source probably is; empty if unknown. */
export function suggestTitle(source: string): string {
  const [kind = '', name = ''] = source.split(/:(.*)/s);
  if (kind === 'selector') {
    const selector = name.slice(name.indexOf('/') + 1);
    return SELECTORS.find(([pattern]) => pattern.test(selector))?.[1] ?? '';
  }
  if (kind !== 'domain') return '';
  // Google and Microsoft tenants sign with their own subdomains of these domains.
  const knownDomain = Object.keys(DOMAINS).find((domain) => isWithin(name, domain));
  return knownDomain === undefined ? '' : (DOMAINS[knownDomain] ?? '');
}
