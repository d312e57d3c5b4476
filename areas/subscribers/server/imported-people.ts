// Input and result of an import's batch.
import type { Origin } from '#platform/origins.ts';
import type { SubscriptionStatus } from '../shared.ts';
import type { resolveFirstStatuses } from './person-addresses.ts';

/** One subscriber of a file. Email keys and phones come from parseEmail and parsePhone. */
export interface ImportedRecord {
  row: number;
  email: string | null;
  emailKey: string | null;
  phone: string | null;
  firstname: string | null;
  lastname: string | null;
  /** JSON of the custom values in the file, by field id. */
  fieldValues: string;
  /** Null if the file has none. */
  emailStatus: SubscriptionStatus | null;
  smsStatus: SubscriptionStatus | null;
  consentAt: Date | null;
  unsubscribedAt: Date | null;
}

export interface ImportBatch {
  accountId: number;
  importId: number;
  /** `import` if the user chose that the import starts workflows. */
  origin?: Origin | undefined;
  at: Date;
  /** Each address and each number occurs only once in all batches of the import. */
  records: readonly ImportedRecord[];
  /** The user who attested the consent of these subscribers, and the channels it is for. */
  consent: { userId: number | null; channels: ReadonlyArray<'email' | 'sms'> };
  /** The custom fields with values in the file. */
  fieldIds: readonly number[];
  /**
   * The number of subscribers that the import has created so far. If the account has no more than
   * these, the rows of the batch are new and are not looked up. Undefined: every row is looked up.
   */
  createdBefore?: number | undefined;
  /**
   * Resolves when the previous batch has committed: awaited before any statement that another
   * transaction could wait for, so that two batches may be copied concurrently.
   */
  waitForTurn?: (() => Promise<void>) | undefined;
}

export interface ImportBatchResult {
  /** Ids of the subscribers, each in exactly one of these three lists. */
  created: number[];
  updated: number[];
  unchanged: number[];
  /** Rows of subscribers who will not be emailed: unsubscribed, reported, bounced or suppressed. */
  unmailableRows: number[];
  /** Rows with a phone number that belongs to another subscriber. */
  takenPhones: number[];
  /**
   * Whether an address of the batch was suppressed after the lookup: checked as late as possible,
   * but before the same transaction writes opt-outs. If so, the batch is rolled back and repeated.
   */
  isSuperseded: () => Promise<boolean>;
}

export type NewStatuses = ReturnType<typeof resolveFirstStatuses>;

/** A row with the statuses that it gets if it is new. */
export interface StagedRecord {
  record: ImportedRecord;
  statuses: NewStatuses;
}

/**
 * Returns the status in the file, before suppressions are applied. If the file has none, it is
 * active if the user attested consent for the channel, otherwise non-subscribed.
 */
export function getRequestedStatus(
  record: ImportedRecord,
  batch: ImportBatch,
  channel: 'email' | 'sms',
): SubscriptionStatus {
  const fileStatus = channel === 'email' ? record.emailStatus : record.smsStatus;
  return fileStatus ?? (batch.consent.channels.includes(channel) ? 'active' : 'non-subscribed');
}
