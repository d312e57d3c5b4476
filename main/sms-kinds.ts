// The kinds of SMS providers: how their APIs are called, and how accounts' own providers are
// opened.
import type { OpenSmsRelay, SmsReader } from '#areas/delivery/server/sender/index.ts';
import type {
  OwnReaders,
  ProviderListener,
  ProviderKinds,
  ProviderSettings,
} from '#areas/sms/server/index.ts';
import {
  PrivateAddressError,
  publicLookup,
  refusePrivateAddress,
} from '#platform/server/outgoing/outgoing-address.ts';
import { callPublic } from '#platform/server/outgoing/outgoing-call.ts';
import { infobip, infobipSms } from '#providers/infobip/index.ts';
import { plivo, plivoSms } from '#providers/plivo/index.ts';
import { sinch, sinchSms } from '#providers/sinch/index.ts';
import { openSmpp } from '#providers/smpp/index.ts';
import { telnyx, telnyxSms } from '#providers/telnyx/index.ts';
import { openHttpSms, type SmsAccount, type SmsProtocol } from '#providers/sms-http/index.ts';
import { twilio, twilioSms } from '#providers/twilio/index.ts';
import { vonage, vonageSms } from '#providers/vonage/index.ts';

export type SmsKind = {
  host: string;
  createProtocol(account: SmsAccount, key: string): SmsProtocol;
  reader: SmsReader;
  /** Key of callback signatures: the API secret itself, or the value of `webhook_key=`. */
  key: 'secret' | 'own';
  /** SMS parts per second of the whole account, if the provider publishes a limit. */
  maxPartsPerSecond: number | null;
};

export const HTTP_KINDS = {
  twilio: {
    ...{ host: 'api.twilio.com', createProtocol: twilio, reader: twilioSms },
    ...{ key: 'secret', maxPartsPerSecond: null },
  },
  vonage: {
    ...{ host: 'api.nexmo.com', createProtocol: vonage, reader: vonageSms },
    ...{ key: 'own', maxPartsPerSecond: 30 },
  },
  telnyx: {
    ...{ host: 'api.telnyx.com', createProtocol: telnyx, reader: telnyxSms },
    ...{ key: 'own', maxPartsPerSecond: 50 },
  },
  sinch: {
    ...{ host: 'eu.sms.api.sinch.com', createProtocol: sinch, reader: sinchSms },
    ...{ key: 'own', maxPartsPerSecond: 30 },
  },
  infobip: {
    ...{ host: 'api.infobip.com', createProtocol: infobip, reader: infobipSms },
    ...{ key: 'own', maxPartsPerSecond: null },
  },
  plivo: {
    ...{ host: 'api.plivo.com', createProtocol: plivo, reader: plivoSms },
    ...{ key: 'secret', maxPartsPerSecond: null },
  },
} satisfies Record<string, SmsKind>;

const CALL_MS = 30_000;
const MAX_RESPONSE_BYTES = 64 * 1024;
export const SMPP_PORTS = { open: 2775, tls: 3550 } as const;

/** Accounts' own providers are called only on public hosts. */
export const ownSmsKinds: ProviderKinds = {
  twilio: ownHttp(HTTP_KINDS.twilio),
  vonage: ownHttp(HTTP_KINDS.vonage),
  telnyx: ownHttp(HTTP_KINDS.telnyx),
  sinch: ownHttp(HTTP_KINDS.sinch),
  infobip: ownHttp(HTTP_KINDS.infobip),
  plivo: ownHttp(HTTP_KINDS.plivo),
  smpp: { openRelay: ownSmpp, reader: undefined },
};

/** Readers for callbacks from accounts' own providers. */
export const ownReaders: OwnReaders = Object.fromEntries(
  Object.entries(HTTP_KINDS).map(([kind, { reader }]) => [kind, reader]),
);

function ownHttp({ host: defaultHost, createProtocol, reader }: SmsKind): ProviderKinds['twilio'] {
  return {
    reader,
    openRelay({ host, username: user, secret, hookKey, profile, connections }) {
      const baseUrl = `https://${host || defaultHost}`;
      refusePrivateAddress(host || defaultHost);
      const account = { baseUrl, user, secret, profile: profile || undefined };
      return openHttpSms(createProtocol(account, hookKey), {
        maxConcurrent: connections,
        fetch: fetchPublic,
      });
    },
  };
}

function ownSmpp(settings: ProviderSettings, listener: ProviderListener): OpenSmsRelay {
  const { host, port, isTls, username: user, secret, profile, alphabet, connections } = settings;
  refusePrivateAddress(host);
  const account = {
    ...{ host, isTls, user, secret, systemType: profile, lookup: publicLookup },
    port: port ?? (isTls ? SMPP_PORTS.tls : SMPP_PORTS.open),
  };
  return openSmpp({ account, window: connections, alphabet, listener });
}

/** Calls public hosts only; a blocked call is reported as not sent. */
async function fetchPublic(url: string, { headers, body }: RequestInit): Promise<Response> {
  const call = {
    method: 'POST' as const,
    headers: headers as Record<string, string>,
    body: body as string,
    ...{ timeoutMs: CALL_MS, maxBytes: MAX_RESPONSE_BYTES },
  };
  const {
    status,
    headers: reportedHeaders,
    body: responseBody,
  } = await callPublic(url, call).catch((error) => {
    if (!(error instanceof PrivateAddressError)) throw error;
    throw Object.assign(error, { code: 'EHOSTUNREACH' });
  });
  const retryAfter = reportedHeaders['retry-after'];
  const isBare = status === 204 || status === 205 || status === 304;
  return new Response(isBare ? null : new Uint8Array(responseBody), {
    status,
    headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
  });
}
