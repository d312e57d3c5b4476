// The environment variables, their defaults, and the error messages for invalid values.
import { isIP, isIPv6 } from 'node:net';
import { z } from 'zod';
import { parseDsn } from '../error-report.ts';
import {
  ContentHosts,
  DomainName,
  EmailList,
  OtlpHeaders,
  Resolvers,
  TrustedProxies,
  webAddress,
} from './config-values.ts';

/** The address of a test double that replaces another service. */
const localAddress = () =>
  z.url({ protocol: /^http$/, error: 'must be an address that starts with http://' });

const Port = z.coerce.number().int().min(0).max(65_535);

const Ips = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter(Boolean))
  .refine((ips) => ips.every(isIP), 'must be IP addresses, separated by commas');

/** A name or address, with or without a port; IPv6 in brackets. No scheme and no path. */
const MODEL_HOST = /^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i;

export const Environment = z.object({
  NODE_ENV: z.enum(['development', 'test', 'production']).optional(),
  PORT: Port.default(3000),
  HOST: z.string().min(1).default('127.0.0.1'),
  DATA_DIR: z.string().min(1).default('./data'),
  DATABASE_URL: z
    .url({
      protocol: /^postgres(ql)?$/,
      error: 'must be an address that starts with postgres:// or postgresql://',
    })
    .optional(),
  DATABASE_CONNECTIONS: z.coerce.number().int().min(2).max(500).default(20),
  SMTP_URL: z
    .string()
    .refine(
      (text) => text.trim().split(/\s+/).every(isRelayUrl),
      'must be one or more addresses, smtp://, smtps:// or ses://, with spaces between them',
    )
    .optional(),
  SMS_URL: z.string().min(1).optional(),
  INBOX_SMTP_PORT: Port.optional(),
  PUBLIC_URL: webAddress().optional(),
  SECRET: z.string().min(32, 'needs at least 32 characters').optional(),
  SIGN_UP: z.enum(['open', 'first', 'closed']).optional(),
  AUTH_URL: webAddress().optional(),
  OIDC_ISSUER: webAddress().optional(),
  OIDC_CLIENT_ID: z.string().min(1).max(500).optional(),
  OIDC_CLIENT_SECRET: z.string().min(1).max(1000).optional(),
  OIDC_TITLE: z.string().min(1).max(60).optional(),
  OIDC_DOMAINS: z
    .string()
    .transform((text) =>
      text
        .toLowerCase()
        .split(/[\s,]+/)
        .filter(Boolean),
    )
    .pipe(z.array(DomainName))
    .optional(),
  OIDC_ACCOUNT: z.string().min(6).max(60).optional(),
  OIDC_ACCESS: z.enum(['full', 'no_sending', 'no_export', 'read_only']).default('read_only'),
  OIDC_CLAIM: z
    .string()
    .regex(/^[\w:./-]+=.+$/, 'must be a claim and its value, such as groups=marketing')
    .optional(),
  PASSWORDS: z.enum(['on', 'off']).default('on'),
  EMERGENCY_USER: z.email('must be an email address').optional(),
  TRUST_PROXY: TrustedProxies.optional(),
  FILES_BUCKET_URL: webAddress().optional(),
  FILES_ACCESS_KEY: z.string().optional(),
  FILES_SECRET_KEY: z.string().optional(),
  FILES_REGION: z.string().default('us-east-1'),
  LETTERS_FROM: z.email('must be an email address').optional(),
  BOUNCE_DOMAIN: DomainName.optional(),
  SES_WEBHOOK_TOPIC: z.string().optional(),
  SENDGRID_WEBHOOK_KEY: z.string().optional(),
  POSTMARK_WEBHOOK_LOGIN: z.string().optional(),
  MAILGUN_WEBHOOK_KEY: z.string().optional(),
  RETURN_SMTP_HOST: z.string().min(1).default('127.0.0.1'),
  RETURN_SMTP_PORT: Port.optional(),
  SUBMISSION_HOST: z.string().min(1).default('127.0.0.1'),
  SUBMISSION_PORT: Port.optional(),
  SUBMISSION_TLS_PORT: Port.optional(),
  SUBMISSION_CERT: z.string().min(1).optional(),
  SUBMISSION_KEY: z.string().min(1).optional(),
  METRICS_HOST: z.string().min(1).default('127.0.0.1'),
  METRICS_PORT: Port.optional(),
  DNS_SERVERS: Resolvers.optional(),
  SENDING_IPS: Ips.optional(),
  SPAMHAUS_KEY: z
    .string()
    .regex(/^[a-z0-9]{10,60}$/i, 'must be the key of a Data Query Service account')
    .optional(),
  SNDS_URL: z
    .string()
    .regex(
      /^https:\/\/sendersupport\.olc\.protection\.outlook\.com\/snds\/data\.aspx\?key=[\w-]{8,100}$/i,
      'must be the link of SNDS for automated data access',
    )
    .optional(),
  GOOGLE_CLIENT_ID: z.string().min(1).optional(),
  GOOGLE_CLIENT_SECRET: z.string().min(1).optional(),
  MICROSOFT_CLIENT_ID: z.string().min(1).optional(),
  MICROSOFT_CLIENT_SECRET: z.string().min(1).optional(),
  BARRACUDA: z.enum(['registered', 'off']).default('off'),
  PRIVATE_HOSTS: z.enum(['yes', 'no']).default('no'),
  GOOGLE_MAPS_KEY: z.string().min(1).optional(),
  MODEL_HOSTS: z
    .string()
    .max(2000)
    .transform((text) => text.split(/[\s,]+/).filter(Boolean))
    .refine(
      (hosts) => hosts.every((host) => isIPv6(host) || MODEL_HOST.test(host)),
      'must be hosts, with a port or without, such as localhost:11434',
    )
    .optional(),
  PEXELS_KEY: z.string().min(1).optional(),
  GIPHY_KEY: z.string().min(1).optional(),
  FONTS_URL: z
    .string()
    .refine(
      (text) => text === 'off' || webAddress().safeParse(text).success,
      'must be off, or an address that starts with http:// or https://',
    )
    .optional(),
  CAPTCHA: z.enum(['recaptcha', 'hcaptcha', 'turnstile']).optional(),
  CAPTCHA_SITE_KEY: z.string().min(1).max(200).optional(),
  CAPTCHA_SECRET_KEY: z.string().min(1).max(200).optional(),
  LIVE_CHAT_SCRIPT: webAddress().optional(),
  FEEDBACK_SCRIPT: webAddress().optional(),
  ANALYTICS_SCRIPT: webAddress().optional(),
  THIRD_PARTY_HOSTS: ContentHosts.optional(),
  SENTRY_DSN: webAddress()
    .refine(
      (dsn) => parseDsn(dsn) !== undefined,
      'must be a DSN such as https://key@errors.example/1',
    )
    .optional(),
  // Test doubles of other services: on this machine only, never in production.
  MAILCHIMP_URL: localAddress().optional(),
  GETRESPONSE_URL: localAddress().optional(),
  MEMORY_LIMIT_MB: z.coerce.number().int().min(256).optional(),
  BILLING: z.enum(['off', 'test', 'braintree', 'stripe']).optional(),
  BILLING_FILE: z.string().min(1).optional(),
  OPERATOR_EMAILS: EmailList.optional(),
  STRIPE_SECRET_KEY: z.string().min(1).optional(),
  STRIPE_PUBLISHABLE_KEY: z.string().min(1).optional(),
  STRIPE_WEBHOOK_SECRET: z.string().min(1).optional(),
  BRAINTREE_MERCHANT_ID: z.string().min(1).optional(),
  BRAINTREE_PUBLIC_KEY: z.string().min(1).optional(),
  BRAINTREE_PRIVATE_KEY: z.string().min(1).optional(),
  BRAINTREE_MERCHANT_ACCOUNT_USD: z.string().min(1).optional(),
  BRAINTREE_MERCHANT_ACCOUNT_EUR: z.string().min(1).optional(),
  BRAINTREE_ENVIRONMENT: z.enum(['sandbox', 'production']).default('production'),
  BRAINTREE_3D_SECURE: z.enum(['on', 'off']).default('on'),
  // Test doubles, as above.
  BRAINTREE_URL: localAddress().optional(),
  TEST_GATEWAY_URL: localAddress().optional(),
  VIES_URL: localAddress().optional(),
  CAPTCHA_URL: localAddress().optional(),
  LEDGER_DAYS: z.coerce.number().int().min(0).max(3650).default(90),
  IMPORT_MAX_MB: z.coerce.number().int().min(1).max(4096).default(256),
  OTEL_EXPORTER_OTLP_ENDPOINT: webAddress().optional(),
  OTEL_EXPORTER_OTLP_HEADERS: OtlpHeaders.default({}),
  OTEL_SERVICE_NAME: z.string().min(1).max(255).default('sendloom'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
  SLOW_STATEMENT_MS: z.coerce.number().int().min(0).max(3_600_000).default(1_000),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
});

function isRelayUrl(text: string): boolean {
  return URL.canParse(text) && /^(smtps?|ses):$/.test(new URL(text).protocol);
}
