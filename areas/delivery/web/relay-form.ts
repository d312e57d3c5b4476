// Converts a relay to the values of its form, and back. Empty strings mean no limit, and SES has a
// region instead of a host.
import { MAX_RELAY_TITLE, type RelayKind, type RelayTls, SES_REGIONS } from '../relay-limits.ts';
import type { RelayView } from '../relays-contract.ts';

export type RelayForm = {
  title: string;
  kind: RelayKind;
  host: string;
  region: string;
  port: number | string;
  tls: RelayTls;
  username: string;
  password: string;
  connections: number | string;
  messages_per_connection: number | string;
  chunking: boolean;
  per_second: number | string;
  per_minute: number | string;
  per_hour: number | string;
  per_day: number | string;
  domain_limits: { domain: string; per_minute: number | string }[];
  priority: number | string;
  weight: number | string;
  enabled: boolean;
};

const SES_HOST = /^email\.([a-z0-9-]+)\.amazonaws\.com$/;

export function relayFormValues(relay: RelayView | undefined): RelayForm {
  if (!relay) return { ...EMPTY_FORM };
  return {
    ...EMPTY_FORM,
    ...relay,
    region: SES_HOST.exec(relay.host)?.[1] ?? EMPTY_FORM.region,
    per_second: relay.per_second ?? '',
    per_minute: relay.per_minute ?? '',
    per_hour: relay.per_hour ?? '',
    per_day: relay.per_day ?? '',
  };
}

const EMPTY_FORM: RelayForm = {
  title: '',
  kind: 'smtp',
  host: '',
  region: SES_REGIONS[13],
  port: 587,
  tls: 'required',
  username: '',
  password: '',
  connections: 5,
  messages_per_connection: 0,
  chunking: true,
  per_second: '',
  per_minute: '',
  per_hour: '',
  per_day: '',
  domain_limits: [],
  priority: 1,
  weight: 1,
  // A new relay is disabled until the user enables it; a successful test offers this.
  enabled: false,
};

/** Returns the request body, with only the fields of the API. */
export function toRelayBody(values: RelayForm) {
  const isSes = values.kind === 'ses';
  return {
    title: values.title.trim(),
    kind: values.kind,
    host: isSes ? `email.${values.region}.amazonaws.com` : values.host.trim(),
    port: isSes ? 443 : toInteger(values.port, 587),
    tls: isSes ? ('implicit' as const) : values.tls,
    username: values.username.trim(),
    password: values.password,
    connections: toInteger(values.connections, 5),
    messages_per_connection: toInteger(values.messages_per_connection, 0),
    chunking: values.chunking,
    per_second: limit(values.per_second),
    per_minute: limit(values.per_minute),
    per_hour: limit(values.per_hour),
    per_day: limit(values.per_day),
    domain_limits: finishedLimits(values).map(({ domain, per_minute }) => ({
      domain: domain.trim().toLowerCase(),
      per_minute: limit(per_minute) as number,
    })),
    priority: toInteger(values.priority, 1),
    weight: toInteger(values.weight, 1),
    enabled: values.enabled,
  };
}

/** Returns the domain limits that have both a domain and a number. */
export function finishedLimits({ domain_limits }: RelayForm): RelayForm['domain_limits'] {
  return domain_limits.filter(
    ({ domain, per_minute }) => domain.trim() !== '' && limit(per_minute) !== null,
  );
}

/**
 * Returns the changed fields of an existing relay: other fields may have changed on the server and
 * stay as they are.
 */
export function findChanges(
  values: RelayForm,
  initialForm: RelayForm,
): Partial<ReturnType<typeof toRelayBody>> {
  const initialBody: Record<string, unknown> = toRelayBody(initialForm);
  const changedEntries = Object.entries(toRelayBody(values)).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(initialBody[field]),
  );
  return Object.fromEntries(changedEntries);
}

/** Returns the body of a test before saving. A relay without a name is named after its host. */
export function createTestBody(values: RelayForm, existing: RelayView | undefined) {
  const { title, kind, host, port, tls, username, password, chunking } = toRelayBody(values);
  const settings = { kind, host, port, tls, username, password, chunking };
  return { title: title || host.slice(0, MAX_RELAY_TITLE), ...settings, known: existing?.id };
}

function toInteger(value: number | string, otherwise: number): number {
  return value === '' ? otherwise : Math.round(Number(value));
}

function limit(value: number | string): number | null {
  const count = toInteger(value, 0);
  return count > 0 ? count : null;
}
