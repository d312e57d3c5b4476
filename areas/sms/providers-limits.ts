// Kinds of an account's own SMS providers and the settings that each needs, for browser and server.

export const PROVIDER_KINDS = [
  'twilio',
  'vonage',
  'telnyx',
  'sinch',
  'infobip',
  'plivo',
  'smpp',
] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

export const PROVIDER_HEALTHS = ['unknown', 'ready', 'waiting', 'refused'] as const;
export type ProviderHealth = (typeof PROVIDER_HEALTHS)[number];

export const ALPHABETS = ['gsm7', 'latin1'] as const;

export const MAX_PROVIDERS = 20;
export const MAX_PROVIDER_TITLE = 80;
export const MAX_PROVIDER_SECRET = 1000;
export const MAX_PROVIDER_HOST = 253;
export const MAX_NUMBER_LIMITS = 50;
export const MAX_PARTS = 100_000_000;
export const SMPP_PORT = 2775;
export const SMPP_TLS_PORT = 3550;

/** Hosts of Sinch's regions; the first one is the default. */
export const SINCH_HOSTS = [
  'eu.sms.api.sinch.com',
  'us.sms.api.sinch.com',
  'au.sms.api.sinch.com',
  'br.sms.api.sinch.com',
  'ca.sms.api.sinch.com',
] as const;

type ProviderProperties = {
  /** Whether the provider needs an account name besides the secret. */
  hasUser: boolean;
  /**
   * Which key authenticates the provider's webhooks: the secret itself, a key issued by the
   * provider (`given`), a key that the product generates (`made`), or none, because there are no
   * webhooks.
   */
  hookKey: 'secret' | 'given' | 'made' | 'none';
  /**
   * `fixed`: one host for all customers. `chosen`: one of SINCH_HOSTS. `own`: a host per customer.
   */
  host: 'fixed' | 'chosen' | 'own';
  hasProfile: boolean;
  /** Default limit in parts per second, if the provider documents one for the whole account. */
  perSecond: number | null;
  connections: number;
};

const DEFAULT_CONNECTIONS = 16;
const defaults = {
  hasProfile: false,
  perSecond: null,
  connections: DEFAULT_CONNECTIONS,
  host: 'fixed',
} as const;

/** Which settings each kind of provider has, with defaults. */
export const PROVIDER_PROPERTIES: Readonly<Record<ProviderKind, ProviderProperties>> = {
  twilio: { ...defaults, hasUser: true, hookKey: 'secret' },
  vonage: { ...defaults, hasUser: true, hookKey: 'given', perSecond: 30 },
  telnyx: { ...defaults, hasUser: false, hookKey: 'given', perSecond: 50, hasProfile: true },
  sinch: { ...defaults, hasUser: true, hookKey: 'given', perSecond: 30, host: 'chosen' },
  infobip: { ...defaults, hasUser: false, hookKey: 'made', host: 'own' },
  plivo: { ...defaults, hasUser: true, hookKey: 'secret' },
  smpp: {
    ...defaults,
    hasUser: true,
    hookKey: 'none',
    host: 'own',
    hasProfile: true,
    connections: 10,
  },
};
