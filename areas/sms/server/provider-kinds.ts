// Types of the parts that main/ provides for each kind of provider: a function that opens an
// account's own provider, and a reader of its webhooks.
import type {
  ReceiptQuery,
  KnownSms,
  OpenSmsRelay,
  SmsEvent,
  SmsReader,
} from '#areas/delivery/server/sender/index.ts';
import type { ProviderKind } from '../providers-limits.ts';

/** Settings of an account's own provider, which may use only public hosts. */
export type ProviderSettings = {
  host: string;
  port: number | null;
  isTls: boolean;
  username: string;
  secret: string;
  /** Key that authenticates the provider's webhooks. */
  hookKey: string;
  profile: string;
  alphabet: 'gsm7' | 'latin1';
  connections: number;
};

/** Handlers for events that a center sends over the delivery connection. */
export type ProviderListener = {
  onEvent(event: SmsEvent): Promise<void>;
  findReference(receipt: ReceiptQuery): Promise<KnownSms | undefined>;
};

export type ProviderKinds = Record<
  ProviderKind,
  {
    /** @throws if connections to its host are not allowed */
    openRelay(settings: ProviderSettings, listener: ProviderListener): OpenSmsRelay;
    /** Undefined if events arrive over the delivery connection. */
    reader: SmsReader | undefined;
  }
>;
