// Reads the environment once at startup. An invalid value stops the start with a one-sentence
// error.
import path from 'node:path';
import { z } from 'zod';
import { samePort, describeIssue } from './config-values.ts';
import { Environment } from './environment.ts';
import { findMisspelledSettings } from './setting-names.ts';
import { readSettingsFromFiles } from './settings-from-files.ts';

export class ConfigError extends Error {}

export type Config = {
  isProduction: boolean;
  isTest: boolean;
  port: number;
  host: string;
  dataDir: string;
  /** Undefined for the embedded server, until `start` fills it in. */
  databaseUrl: string | undefined;
  databaseConnections: number;
  /** One relay, or several separated by spaces; undefined for the built-in inbox. */
  smtpUrl: string | undefined;
  /** SMS providers, separated by spaces; undefined for the built-in phone (none in production). */
  smsUrl: string | undefined;
  inboxSmtpPort: number | undefined;
  publicUrl: string;
  secret: string | undefined;
  signUp: 'open' | 'first' | 'closed';
  authUrl: string | undefined;
  signIn: SignInConfig;
  /** Trusted proxies; undefined if not configured. */
  trustProxy: boolean | string | number | undefined;
  files: FilesConfig;
  systemSender: string | undefined;
  bounceDomain: string | undefined;
  /** Listener for bounce reports over SMTP; undefined for none. */
  returnPath: { host: string; port: number } | undefined;
  /** Listeners for transactional emails over SMTP; without a port there is no listener. */
  submission: {
    host: string;
    port: number | undefined;
    tlsPort: number | undefined;
    /**
     * Files of the certificate and its key. If unset, a certificate is generated; production
     * requires both files.
     */
    certificate: { cert: string; key: string } | undefined;
  };
  /** Address of a role's monitoring endpoint; undefined if only the web server has one. */
  metrics: { host: string; port: number } | undefined;
  /** Keys that providers of the installation's own relays use to sign webhooks. */
  webhookKeys: WebhookKeys;
  /** DNS resolvers for domain checks, as `address` or `address:port`; the system's if undefined. */
  dnsServers: string[] | undefined;
  /** The installation's own sending addresses, and the terms for querying blocklists. */
  sendingIps: readonly string[];
  blocklists: { spamhausKey: string | undefined; isBarracudaRegistered: boolean };
  /** Link of Microsoft SNDS for automated access to the data of own addresses. */
  sndsUrl: string | undefined;
  /** OAuth client for Google Postmaster Tools and seed mailboxes at Gmail. */
  googleOAuth: { id: string; secret: string } | undefined;
  /** OAuth client for seed mailboxes at Outlook. */
  microsoftOAuth: { id: string; secret: string } | undefined;
  /** Whether accounts may name hosts in private networks, for example as relays. */
  arePrivateHostsAllowed: boolean;
  /** Key for Google address completion; if unset, the built-in gazetteer is used. */
  googleMapsKey: string | undefined;
  /** Private hosts of language models that accounts may use. */
  modelHosts: readonly string[];
  /** Keys of stock photos and GIFs in the image library; if unset, the library has no search. */
  stockKeys: { pexels: string | undefined; giphy: string | undefined };
  /** Source of web fonts; the server downloads each font once. Undefined for none. */
  fontsUrl: string | undefined;
  /** CAPTCHA of forms, instead of the built-in proof of work. */
  captcha:
    | {
        kind: 'recaptcha' | 'hcaptcha' | 'turnstile';
        siteKey: string;
        secretKey: string;
        baseUrl: string | undefined;
      }
    | undefined;
  thirdParties: ThirdPartiesConfig;
  /** Memory above which a role drains and restarts; undefined for the role's default. */
  memoryLimitMegabytes: number | undefined;
  /** Days from a campaign's end until its delivery attempts are compacted; 0: they are not. */
  ledgerDays: number;
  /** Maximum size of an import file. */
  importMaxMegabytes: number;
  /** Test doubles of the services that subscribers are imported from. */
  listServiceUrls: { mailchimp: string | undefined; getresponse: string | undefined };
  billing: BillingConfig;
  /** Minimum duration of logged statements; 0: none is logged. */
  slowStatementMs: number;
  /** Traces by OpenTelemetry; off without an endpoint. */
  tracing: {
    endpoint: string | undefined;
    headers: Record<string, string>;
    serviceName: string;
    sampleRatio: number;
  };
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
};

export type SignInConfig = {
  /** An identity provider by OpenID Connect. */
  oidc:
    | {
        issuer: string;
        clientId: string;
        clientSecret: string;
        title: string;
        /**
         * Domains that the issuer is authoritative for: addresses in them identify users if the
         * issuer has verified them.
         */
        domains: readonly string[];
        /** Public id of the account that the issuer's users join. */
        account: string | undefined;
        access: 'full' | 'no_sending' | 'no_export' | 'read_only';
        /** The claim that is required to join. */
        requiredClaim: { name: string; value: string } | undefined;
      }
    | undefined;
  /**
   * Undefined if all users may sign in with a password; otherwise the email address, in lower case,
   * of the only user who may.
   */
  passwordsOnlyFor: string | undefined;
};

/** Whether plans are sold, the plans (from the operator's file), and the payment provider. */
export type BillingConfig = {
  mode: 'off' | 'test' | 'braintree' | 'stripe';
  /** False if neither BILLING nor BILLING_FILE is set, so that `mode` is only a default. */
  isSet: boolean;
  file: string | undefined;
  /** Email addresses of users who may open the operator's page, in lower case. */
  operatorEmails: string[];
  stripe: { secretKey: string; publishableKey: string; webhookSecret: string } | undefined;
  braintree:
    | {
        merchantId: string;
        publicKey: string;
        privateKey: string;
        merchantAccounts: { usd?: string; eur?: string };
        isSandbox: boolean;
        requires3ds: boolean;
        baseUrl: string | undefined;
      }
    | undefined;
  /** Address of the test gateway; by default the web process on this machine. */
  testGatewayUrl: string | undefined;
  viesUrl: string | undefined;
};

type WebhookKeys = Record<'ses' | 'sendgrid' | 'postmark' | 'mailgun', string | undefined>;

/** Third-party scripts, each off unless configured, and loaded only with the visitor's consent. */
export type ThirdPartiesConfig = {
  liveChatUrl: string | undefined;
  feedbackUrl: string | undefined;
  analyticsUrl: string | undefined;
  /** Other hosts that the scripts need, for the content security policy. */
  hosts: string[];
  /** DSN of error reporting, in Sentry's protocol. */
  sentryDsn: string | undefined;
};

export type FilesConfig =
  | { kind: 'disk'; folder: string }
  | { kind: 's3'; bucketUrl: string; accessKey: string; secretKey: string; region: string };

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

export function isLoopbackUrl(url: string): boolean {
  return LOOPBACK.has(new URL(url).hostname);
}

/** A production installation runs with NODE_ENV=production, or at a public address. */
export function isProductionEnvironment({
  NODE_ENV: mode,
  PUBLIC_URL: url,
}: Record<string, string | undefined>): boolean {
  return mode === 'production' || (url !== undefined && URL.canParse(url) && !isLoopbackUrl(url));
}

/** Variables that look like misspelled settings. */
export function findMisspelled(
  env: Record<string, string | undefined>,
): { name: string; setting: string }[] {
  return findMisspelledSettings(env, Object.keys(Environment.shape));
}

/**
 * Returns the environment that child processes inherit: settings from files (NAME_FILE) are
 * resolved into it.
 */
export function withFileSettings<T extends Record<string, string | undefined>>(env: T): T {
  const names = Object.keys(Environment.shape);
  return readSettingsFromFiles(env, names, (sentence) => new ConfigError(sentence));
}

function signInConfig(e: z.output<typeof Environment>): SignInConfig {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = e;
  if (issuer === undefined) {
    if (e.PASSWORDS === 'off') {
      throw new ConfigError('PASSWORDS can be off only with an OIDC_ISSUER.');
    }
    return { oidc: undefined, passwordsOnlyFor: undefined };
  }
  if (clientId === undefined || clientSecret === undefined) {
    throw new ConfigError('OIDC_ISSUER requires OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.');
  }
  if (e.PASSWORDS === 'off' && e.EMERGENCY_USER === undefined) {
    throw new ConfigError(
      'With PASSWORDS=off, EMERGENCY_USER must be the email address of a user who can still sign in with a password.',
    );
  }
  const [name = '', ...value] = e.OIDC_CLAIM?.split('=') ?? [];
  return {
    oidc: {
      ...{ issuer, clientId, clientSecret, domains: e.OIDC_DOMAINS ?? [] },
      title: e.OIDC_TITLE ?? new URL(issuer).hostname,
      ...{ account: e.OIDC_ACCOUNT, access: e.OIDC_ACCESS },
      requiredClaim: e.OIDC_CLAIM === undefined ? undefined : { name, value: value.join('=') },
    },
    passwordsOnlyFor: e.PASSWORDS === 'off' ? e.EMERGENCY_USER?.toLowerCase() : undefined,
  };
}

/** Parses the environment. Throws ConfigError with one sentence that names the variable. */
// oxlint-disable-next-line eslint/max-lines-per-function -- One flat table of settings.
export function loadConfig(env: Record<string, string | undefined>): Config {
  const e = parseEnvironment(env);
  const publicUrl = (e.PUBLIC_URL ?? `http://localhost:${e.PORT}`).replace(/(?<!\/)\/+$/, '');
  const isProduction = isProductionEnvironment({ ...env, PUBLIC_URL: publicUrl });
  if (isProduction) requireForProduction(e);
  refuseEqualPorts(e, env.PORT ? e.PORT : undefined);
  return {
    isProduction,
    isTest: e.NODE_ENV === 'test',
    port: e.PORT,
    host: e.HOST,
    dataDir: path.resolve(e.DATA_DIR),
    databaseUrl: e.DATABASE_URL,
    databaseConnections: e.DATABASE_CONNECTIONS,
    smtpUrl: e.SMTP_URL,
    smsUrl: e.SMS_URL,
    inboxSmtpPort: e.INBOX_SMTP_PORT,
    publicUrl,
    secret: e.SECRET,
    signUp: e.SIGN_UP ?? (isProduction ? 'first' : 'open'),
    authUrl: e.AUTH_URL,
    signIn: signInConfig(e),
    trustProxy: trustProxy(e.TRUST_PROXY),
    files: filesConfig(e),
    systemSender: e.LETTERS_FROM,
    bounceDomain: e.BOUNCE_DOMAIN,
    returnPath: returnPath(e),
    submission: submission(e, isProduction),
    metrics:
      e.METRICS_PORT === undefined ? undefined : { host: e.METRICS_HOST, port: e.METRICS_PORT },
    webhookKeys: {
      ses: e.SES_WEBHOOK_TOPIC,
      sendgrid: e.SENDGRID_WEBHOOK_KEY,
      postmark: e.POSTMARK_WEBHOOK_LOGIN,
      mailgun: e.MAILGUN_WEBHOOK_KEY,
    },
    dnsServers: e.DNS_SERVERS,
    sendingIps: e.SENDING_IPS ?? [],
    blocklists: {
      spamhausKey: e.SPAMHAUS_KEY,
      isBarracudaRegistered: e.BARRACUDA === 'registered',
    },
    sndsUrl: e.SNDS_URL,
    googleOAuth: oauthClient('GOOGLE', e.GOOGLE_CLIENT_ID, e.GOOGLE_CLIENT_SECRET),
    microsoftOAuth: oauthClient('MICROSOFT', e.MICROSOFT_CLIENT_ID, e.MICROSOFT_CLIENT_SECRET),
    arePrivateHostsAllowed: e.PRIVATE_HOSTS === 'yes',
    googleMapsKey: e.GOOGLE_MAPS_KEY,
    modelHosts: e.MODEL_HOSTS ?? [],
    stockKeys: { pexels: e.PEXELS_KEY, giphy: e.GIPHY_KEY },
    fontsUrl: fontsOf(e),
    captcha: captchaOf(e, isProduction),
    thirdParties: {
      liveChatUrl: e.LIVE_CHAT_SCRIPT,
      feedbackUrl: e.FEEDBACK_SCRIPT,
      analyticsUrl: e.ANALYTICS_SCRIPT,
      hosts: e.THIRD_PARTY_HOSTS ?? [],
      sentryDsn: e.SENTRY_DSN,
    },
    memoryLimitMegabytes: e.MEMORY_LIMIT_MB,
    ledgerDays: e.LEDGER_DAYS,
    importMaxMegabytes: e.IMPORT_MAX_MB,
    listServiceUrls: {
      mailchimp: localUrlOnly(e.MAILCHIMP_URL, isProduction),
      getresponse: localUrlOnly(e.GETRESPONSE_URL, isProduction),
    },
    billing: billingConfig(e, isProduction),
    slowStatementMs: e.SLOW_STATEMENT_MS,
    tracing: {
      endpoint: e.OTEL_EXPORTER_OTLP_ENDPOINT,
      headers: e.OTEL_EXPORTER_OTLP_HEADERS,
      serviceName: e.OTEL_SERVICE_NAME,
      sampleRatio: e.OTEL_TRACES_SAMPLER_ARG,
    },
    logLevel: e.LOG_LEVEL,
  };
}

function oauthClient(
  service: 'GOOGLE' | 'MICROSOFT',
  id: string | undefined,
  secret: string | undefined,
): Config['googleOAuth'] {
  if (id === undefined && secret === undefined) return undefined;
  if (id === undefined || secret === undefined) {
    throw new ConfigError(
      `${service}_CLIENT_ID and ${service}_CLIENT_SECRET must be set together.`,
    );
  }
  return { id, secret };
}

/** An empty variable is treated as unset. */
function parseEnvironment(env: Record<string, string | undefined>): z.infer<typeof Environment> {
  const values = Object.fromEntries(
    Object.entries(withFileSettings(env)).filter(([, value]) => value !== ''),
  );
  const parsed = Environment.safeParse(values, { error: describeIssue });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new ConfigError(`${issue?.path.join('.')} is invalid: ${issue?.message}.`);
}

function billingConfig(e: z.infer<typeof Environment>, isProduction: boolean): BillingConfig {
  const mode = e.BILLING ?? (isProduction || e.NODE_ENV === 'test' ? 'off' : 'test');
  if (mode === 'test' && isProduction) {
    throw new ConfigError('BILLING=test is not allowed in production: it collects no payments.');
  }
  if (isProduction && mode !== 'off' && !e.BILLING_FILE) {
    throw new ConfigError('BILLING requires BILLING_FILE with the plans and prices.');
  }
  const requireSettings = (...names: (keyof typeof e)[]) => {
    for (const name of names) {
      if (!e[name]) throw new ConfigError(`BILLING=${mode} requires ${name}.`);
    }
  };
  if (mode === 'stripe')
    requireSettings('STRIPE_SECRET_KEY', 'STRIPE_PUBLISHABLE_KEY', 'STRIPE_WEBHOOK_SECRET');
  if (mode === 'braintree')
    requireSettings('BRAINTREE_MERCHANT_ID', 'BRAINTREE_PUBLIC_KEY', 'BRAINTREE_PRIVATE_KEY');
  return {
    mode,
    isSet: e.BILLING !== undefined || e.BILLING_FILE !== undefined,
    file: e.BILLING_FILE,
    operatorEmails: (e.OPERATOR_EMAILS ?? []).map((email) => email.toLowerCase()),
    stripe: mode === 'stripe' ? stripeConfig(e) : undefined,
    braintree: mode === 'braintree' ? braintreeConfig(e, isProduction) : undefined,
    testGatewayUrl: localUrlOnly(e.TEST_GATEWAY_URL, isProduction),
    viesUrl: localUrlOnly(e.VIES_URL, isProduction),
  };
}

function stripeConfig(e: z.infer<typeof Environment>) {
  return {
    secretKey: e.STRIPE_SECRET_KEY ?? '',
    publishableKey: e.STRIPE_PUBLISHABLE_KEY ?? '',
    webhookSecret: e.STRIPE_WEBHOOK_SECRET ?? '',
  };
}

function braintreeConfig(e: z.infer<typeof Environment>, isProduction: boolean) {
  const { BRAINTREE_MERCHANT_ACCOUNT_USD: usd, BRAINTREE_MERCHANT_ACCOUNT_EUR: eur } = e;
  return {
    merchantId: e.BRAINTREE_MERCHANT_ID ?? '',
    publicKey: e.BRAINTREE_PUBLIC_KEY ?? '',
    privateKey: e.BRAINTREE_PRIVATE_KEY ?? '',
    merchantAccounts: { ...(usd ? { usd } : {}), ...(eur ? { eur } : {}) },
    isSandbox: e.BRAINTREE_ENVIRONMENT === 'sandbox',
    requires3ds: e.BRAINTREE_3D_SECURE === 'on',
    baseUrl: localUrlOnly(e.BRAINTREE_URL, isProduction),
  };
}

/** Tests make no requests to other hosts. */
function fontsOf({ FONTS_URL, NODE_ENV }: z.infer<typeof Environment>): string | undefined {
  if (FONTS_URL === 'off') return undefined;
  return FONTS_URL ?? (NODE_ENV === 'test' ? undefined : 'https://fonts.bunny.net');
}

function captchaOf(e: z.infer<typeof Environment>, isProduction: boolean): Config['captcha'] {
  if (!e.CAPTCHA) return undefined;
  if (!e.CAPTCHA_SITE_KEY || !e.CAPTCHA_SECRET_KEY) {
    throw new ConfigError('CAPTCHA requires CAPTCHA_SITE_KEY and CAPTCHA_SECRET_KEY.');
  }
  return {
    kind: e.CAPTCHA,
    siteKey: e.CAPTCHA_SITE_KEY,
    secretKey: e.CAPTCHA_SECRET_KEY,
    baseUrl: localUrlOnly(e.CAPTCHA_URL, isProduction),
  };
}

/**
 * @param port PORT, if it is set. The default is not compared with METRICS_PORT, because a role
 * that runs alone does not listen on PORT.
 */
function refuseEqualPorts(e: z.infer<typeof Environment>, port: number | undefined): void {
  const toListener = (name: string, host: string, port: number | undefined) => ({
    name,
    host,
    port,
  });
  const listeners = [
    toListener('RETURN_SMTP_PORT', e.RETURN_SMTP_HOST, e.RETURN_SMTP_PORT),
    toListener('SUBMISSION_PORT', e.SUBMISSION_HOST, e.SUBMISSION_PORT),
    toListener('SUBMISSION_TLS_PORT', e.SUBMISSION_HOST, e.SUBMISSION_TLS_PORT),
    toListener('INBOX_SMTP_PORT', '127.0.0.1', e.INBOX_SMTP_PORT),
  ];
  const sharedPort =
    samePort([toListener('PORT', e.HOST, e.PORT), ...listeners]) ??
    samePort([
      toListener('PORT', e.HOST, port),
      toListener('METRICS_PORT', e.METRICS_HOST, e.METRICS_PORT),
      ...listeners,
    ]);
  if (!sharedPort) return;
  const [one, other] = sharedPort;
  throw new ConfigError(
    `${one.name} and ${other.name} are both ${one.port} of the same address: set one of them to another port.`,
  );
}

function requireForProduction(e: z.infer<typeof Environment>): void {
  if (!e.SECRET)
    throw new ConfigError('SECRET is required in production (at least 32 characters).');
  if (!e.SMTP_URL) {
    throw new ConfigError(
      'SMTP_URL is required in production: it is the relay that emails are sent through.',
    );
  }
}

function returnPath(e: z.infer<typeof Environment>): Config['returnPath'] {
  if (e.RETURN_SMTP_PORT === undefined) return undefined;
  if (!e.BOUNCE_DOMAIN) throw new ConfigError('RETURN_SMTP_PORT requires BOUNCE_DOMAIN.');
  return { host: e.RETURN_SMTP_HOST, port: e.RETURN_SMTP_PORT };
}

function submission(e: z.infer<typeof Environment>, isProduction: boolean): Config['submission'] {
  const { SUBMISSION_CERT: cert, SUBMISSION_KEY: key } = e;
  const isOpen = e.SUBMISSION_PORT !== undefined || e.SUBMISSION_TLS_PORT !== undefined;
  if ((cert === undefined) !== (key === undefined))
    throw new ConfigError('SUBMISSION_CERT and SUBMISSION_KEY must be set together.');
  if (isOpen && isProduction && cert === undefined)
    throw new ConfigError(
      'SUBMISSION_PORT and SUBMISSION_TLS_PORT need SUBMISSION_CERT and SUBMISSION_KEY.',
    );
  return {
    host: e.SUBMISSION_HOST,
    port: e.SUBMISSION_PORT,
    tlsPort: e.SUBMISSION_TLS_PORT,
    certificate: cert !== undefined && key !== undefined ? { cert, key } : undefined,
  };
}

function localUrlOnly(url: string | undefined, isProduction: boolean): string | undefined {
  return url !== undefined && !isProduction && isLoopbackUrl(url)
    ? url.replace(/(?<!\/)\/+$/, '')
    : undefined;
}

function trustProxy(value: string | undefined): Config['trustProxy'] {
  if (value === undefined) return undefined;
  if (value === 'none') return false;
  return /^\d+$/.test(value) ? Number(value) : value;
}

function filesConfig(e: z.infer<typeof Environment>): FilesConfig {
  if (!e.FILES_BUCKET_URL) return { kind: 'disk', folder: path.resolve(e.DATA_DIR, 'files') };
  if (!e.FILES_ACCESS_KEY || !e.FILES_SECRET_KEY) {
    throw new ConfigError('FILES_BUCKET_URL requires FILES_ACCESS_KEY and FILES_SECRET_KEY.');
  }
  return {
    kind: 's3',
    bucketUrl: e.FILES_BUCKET_URL.replace(/(?<!\/)\/+$/, ''),
    accessKey: e.FILES_ACCESS_KEY,
    secretKey: e.FILES_SECRET_KEY,
    region: e.FILES_REGION,
  };
}
