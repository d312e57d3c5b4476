// What imports ask of another mailing service: its lists, and all people of them as rows. Kinds live
// under providers/; only main/ knows them. Failures are OutsideFailure of platform/server.

export type ServiceName = 'mailchimp' | 'getresponse';

export interface OutsideList {
  id: string;
  title: string;
  /** People who are subscribed to it. */
  people: number;
}

export interface OutsideRows {
  /** Headings that the guess of columns knows, then those of the service's own fields. */
  titles: readonly string[];
  /** How many rows there will be, as far as the service says. */
  total: number;
  /**
   * Whoever left, bounced or complained comes before all others: of two rows of one address the first
   * counts, and an opt-out on one list must not be lost behind another one.
   */
  pages: AsyncIterable<string[][]>;
}

export interface ListProvider {
  readonly name: ServiceName;
  /** What the service calls itself. */
  readonly title: string;
  /** Whether a text has the form of this service's keys; nothing is asked. */
  isKey(key: string): boolean;
  lists(key: string, signal: AbortSignal): Promise<OutsideList[]>;
  rows(
    key: string,
    lists: readonly { id: string; title: string }[],
    signal: AbortSignal,
  ): Promise<OutsideRows>;
}

export { groupCell } from './reading/group-names.ts';
