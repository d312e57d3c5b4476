// What an import tells of people, and what it hears back.
import type { Origin } from '#platform/origins.ts';
import type { SubscriptionStatus } from '../limits.ts';
import type { firstStatuses } from './person-addresses.ts';

/** One person as a file tells them. Email keys and phones are those of parseEmail and parsePhone. */
export interface ImportedPerson {
  row: number;
  email: string | null;
  emailKey: string | null;
  phone: string | null;
  firstname: string | null;
  lastname: string | null;
  /** JSON of custom values by field number: only those that the file names. */
  fieldValues: string;
  /** Null where the file says nothing. */
  emailStatus: SubscriptionStatus | null;
  smsStatus: SubscriptionStatus | null;
  consentAt: Date | null;
  unsubscribedAt: Date | null;
}

export interface PeopleBatch {
  accountId: number;
  importId: number;
  /** `import` where its owner lets it start workflows. */
  origin?: Origin | undefined;
  at: Date;
  /** Each address and each number once in the whole import. */
  people: readonly ImportedPerson[];
  /** Who attested that these people agreed, and to what. */
  consent: { userId: number | null; channels: ReadonlyArray<'email' | 'sms'> };
  /** The custom fields that the file has values for. */
  fieldIds: readonly number[];
  /**
   * How many people the import has made so far: where the account holds just as many, nobody else can
   * be met. Unknown: everybody is looked for.
   */
  createdBefore?: number | undefined;
  /**
   * Resolves when the batch before this one has committed: awaited before anything that another
   * transaction could wait for, so that two batches may be copied in side by side.
   */
  turn?: (() => Promise<void>) | undefined;
}

export interface PeopleBatchResult {
  /** Ids of the people, each in exactly one of the three. */
  created: number[];
  updated: number[];
  unchanged: number[];
  /** Rows of people who will not be mailed: they had unsubscribed, complained, bounced or were suppressed. */
  kept: number[];
  /** Rows whose phone number belongs to somebody else. */
  phonesTaken: number[];
  /**
   * Whether somebody of the batch was suppressed after it had looked: asked as late as possible, but before
   * the same transaction tells opt-outs. Then nothing of it is kept, and the batch is run again.
   */
  isOvertaken: () => Promise<boolean>;
}

export type Statuses = ReturnType<typeof firstStatuses>;

/** A person with the statuses that they get if they are new. */
export interface StagedPerson {
  person: ImportedPerson;
  statuses: Statuses;
}

/** What the file says, else what the owner attests: before any suppression is looked at. */
export function wantedStatus(
  person: ImportedPerson,
  batch: PeopleBatch,
  channel: 'email' | 'sms',
): SubscriptionStatus {
  const told = channel === 'email' ? person.emailStatus : person.smsStatus;
  return told ?? (batch.consent.channels.includes(channel) ? 'active' : 'non-subscribed');
}
