// What main/ gives of each kind of provider: how to open one of an account's own, and who reads its calls.
import type {
  AskedReceipt,
  KnownText,
  OpenTextRelay,
  TextEvent,
  TextReader,
} from '#areas/delivery/server/index.ts';
import type { ProviderKind } from '../providers-limits.ts';

/** As an account settled it; its host may be connected to only where it is a public one. */
export type ProviderSettings = {
  host: string;
  port: number | null;
  isTls: boolean;
  username: string;
  secret: string;
  /** What its calls are signed with. */
  hookKey: string;
  profile: string;
  alphabet: 'gsm7' | 'latin1';
  connections: number;
};

/** What is done with what a centre tells over the connection that texts leave by. */
export type ProviderHearing = {
  told(event: TextEvent): Promise<void>;
  referenceOf(asked: AskedReceipt): Promise<KnownText | undefined>;
};

export type ProviderKinds = Record<
  ProviderKind,
  {
    /** @throws where its host may not be connected to */
    open(settings: ProviderSettings, hearing: ProviderHearing): OpenTextRelay;
    /** Undefined: it tells over the connection itself. */
    reader: TextReader | undefined;
  }
>;
