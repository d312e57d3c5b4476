// Converts an SMS provider to the values of its form, and back. Empty strings mean 'no limit' or
// 'the default'.
import type { SmsProvider } from '../../providers-contract.ts';
import { PROVIDER_PROPERTIES, type ProviderKind, SINCH_HOSTS } from '../../providers-limits.ts';

type LimitValue = number | string;

export type ProviderForm = {
  kind: ProviderKind;
  title: string;
  host: string;
  region: string;
  port: LimitValue;
  tls: boolean;
  username: string;
  secret: string;
  hook_key: string;
  profile: string;
  alphabet: 'gsm7' | 'latin1';
  connections: LimitValue;
  per_second: LimitValue;
  per_minute: LimitValue;
  per_hour: LimitValue;
  per_day: LimitValue;
  number_limits: { number: string; per_minute: LimitValue }[];
  priority: LimitValue;
  weight: LimitValue;
  enabled: boolean;
};

/** Brand names, which are the same in every language. All other providers use SMPP. */
export const PROVIDER_NAMES: Readonly<Partial<Record<ProviderKind, string>>> = {
  twilio: 'Twilio',
  vonage: 'Vonage',
  telnyx: 'Telnyx',
  sinch: 'Sinch',
  infobip: 'Infobip',
  plivo: 'Plivo',
};

/** Returns the default limits for a kind of provider. */
export const getDefaultValues = (kind: ProviderKind) => ({
  per_second: PROVIDER_PROPERTIES[kind].perSecond ?? '',
  connections: PROVIDER_PROPERTIES[kind].connections,
});

export function providerFormValues(provider: SmsProvider | undefined): ProviderForm {
  const region: string = SINCH_HOSTS[0];
  if (!provider) {
    return {
      ...{ kind: 'twilio', title: '', host: '', region, port: '', tls: true, username: '' },
      ...{ secret: '', hook_key: '', profile: '', alphabet: 'gsm7', ...getDefaultValues('twilio') },
      ...{ per_minute: '', per_hour: '', per_day: '', number_limits: [] },
      // A new provider is disabled until a test succeeds.
      ...{ priority: 1, weight: 1, enabled: false },
    };
  }
  return {
    ...provider,
    ...{ secret: '', hook_key: '', port: provider.port ?? '' },
    region: provider.kind === 'sinch' ? provider.host : region,
    per_second: provider.per_second ?? '',
    per_minute: provider.per_minute ?? '',
    per_hour: provider.per_hour ?? '',
    per_day: provider.per_day ?? '',
  };
}

/** Returns the request body. Fields that do not apply to the kind are empty or have a default. */
export function toProviderBody(values: ProviderForm) {
  const { hasUser, hasProfile, host } = PROVIDER_PROPERTIES[values.kind];
  const isSmpp = values.kind === 'smpp';
  const hosts = { fixed: '', chosen: values.region, own: values.host.trim() };
  return {
    title: values.title.trim(),
    host: hosts[host],
    port: isSmpp ? limit(values.port) : null,
    tls: isSmpp ? values.tls : true,
    username: hasUser ? values.username.trim() : '',
    secret: values.secret.trim(),
    hook_key: values.hook_key.trim(),
    profile: hasProfile ? values.profile.trim() : '',
    alphabet: values.alphabet,
    connections: limit(values.connections) ?? 1,
    per_second: limit(values.per_second),
    per_minute: limit(values.per_minute),
    per_hour: limit(values.per_hour),
    per_day: limit(values.per_day),
    number_limits: listFinishedLimits(values).map(({ number, per_minute }) => ({
      number: number.trim(),
      per_minute: limit(per_minute) as number,
    })),
    priority: limit(values.priority) ?? 1,
    weight: limit(values.weight) ?? 1,
    enabled: values.enabled,
  };
}

/** Lists the number limits that have both a number and a rate. */
export function listFinishedLimits({ number_limits }: ProviderForm): ProviderForm['number_limits'] {
  return number_limits.filter(
    ({ number, per_minute }) => number.trim() !== '' && limit(per_minute) !== null,
  );
}

function limit(value: LimitValue): number | null {
  const maximum = value === '' ? 0 : Math.round(Number(value));
  return maximum > 0 ? maximum : null;
}
