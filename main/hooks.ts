// The email providers whose webhooks are accepted, and their webhook keys for the relays of the
// installation.
import type { HookReader, InstanceKeys } from '#areas/delivery/server/feedback/index.ts';
import { findProviderOfHost } from '#areas/delivery/server/sender/index.ts';
import { CannotStart } from '#platform/server/process/cannot-start.ts';
import type { Config } from '#platform/server/config.ts';
import { log } from '#platform/server/log.ts';
import { mailgunHooks } from '#providers/mailgun/index.ts';
import { postmarkHooks } from '#providers/postmark/index.ts';
import { sendgridHooks } from '#providers/sendgrid/index.ts';
import { sesHooks } from '#providers/ses/events.ts';

export const HOOK_READERS: readonly HookReader[] = [
  sesHooks(),
  sendgridHooks,
  postmarkHooks,
  mailgunHooks,
];

const VARIABLES = {
  ses: ['SES_WEBHOOK_TOPIC', 'the ARN of an SNS topic'],
  sendgrid: ['SENDGRID_WEBHOOK_KEY', 'the verification key that SendGrid shows'],
  postmark: [
    'POSTMARK_WEBHOOK_LOGIN',
    'user:password, with a password of eight characters or more',
  ],
  mailgun: ['MAILGUN_WEBHOOK_KEY', 'the signing key that Mailgun shows'],
} as const;

/** Warns once at startup in production when bounces and complaints cannot be received. */
export function warnIfNoFeedback({ isProduction, returnPath, webhookKeys, smtpUrl }: Config): void {
  if (!isProduction) return;
  if (!returnPath && !Object.values(webhookKeys).some(Boolean)) {
    const keys = Object.values(VARIABLES).map(([variable]) => variable);
    log.warn(
      `Bounces and complaints cannot be processed: set BOUNCE_DOMAIN and RETURN_SMTP_PORT, or the key of your provider's webhooks (${keys.join(', ')})`,
    );
    return;
  }
  const addresses = smtpUrl?.trim().split(/\s+/) ?? [];
  for (const { provider } of HOOK_READERS) {
    if (!addresses.some((address) => providerOf(address) === provider) || webhookKeys[provider])
      continue;
    const [variable, is] = VARIABLES[provider];
    log.warn(
      `Bounces and complaints of emails through ${provider} cannot be processed: the provider uses its own return path and reports by webhook only. Set ${variable}: ${is}`,
    );
  }
}

/**
 * Returns the relay's provider if the provider sends with its own return path. In this case,
 * bounces never reach BOUNCE_DOMAIN.
 */
function providerOf(address: string): HookReader['provider'] | undefined {
  const { protocol, hostname } = new URL(address);
  return protocol === 'ses:' ? 'ses' : findProviderOfHost(hostname);
}

/** @throws CannotStart for a key in a format that the provider does not issue */
export function instanceKeys({ webhookKeys }: Config): InstanceKeys {
  const keys: InstanceKeys = {};
  for (const { provider, findKeyFault } of HOOK_READERS) {
    const key = webhookKeys[provider];
    if (key === undefined) continue;
    const [variable, is] = VARIABLES[provider];
    if (findKeyFault(key)) throw new CannotStart(`${variable} is invalid: it must be ${is}.`);
    keys[provider] = key;
  }
  return keys;
}
