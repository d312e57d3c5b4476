// The interface to another email service: its lists, and all of their subscribers as rows.
// Implementations are in providers/; only main/ depends on them. Failures are OutsideFailure of
// platform/server.

export type ServiceName = 'mailchimp' | 'getresponse';

export interface OutsideList {
  id: string;
  title: string;
  /** Number of subscribers in the list; 0 if the service does not report it. */
  subscriberCount: number;
}

export interface OutsideRows {
  /** Headings that guess-columns.ts recognizes, then headings of the service's custom fields. */
  titles: readonly string[];
  /** Expected number of rows, if the service provides it. */
  total: number;
  /**
   * Unsubscribed, bounced and complained contacts come first: of two rows with the same address,
   * the first counts, and an opt-out on one list must not be lost to another list.
   */
  pages: AsyncIterable<string[][]>;
}

export interface ListProvider {
  readonly name: ServiceName;
  /** The display name of the service. */
  readonly title: string;
  /** Whether a text has the form of this service's keys; makes no request. */
  isKey(key: string): boolean;
  lists(key: string, signal: AbortSignal): Promise<OutsideList[]>;
  rows(
    key: string,
    lists: readonly { id: string; title: string }[],
    signal: AbortSignal,
  ): Promise<OutsideRows>;
}

export { formatGroupCell } from './reading/group-names.ts';
