// Recognizes requests to delete or erase subscribers, which are described and confirmed differently
// from messages.
import type { Approval } from '../contract.ts';

const TEXTS: Partial<Record<Approval['kind'], 'deletion' | 'erasure'>> = {
  subscribers_delete: 'deletion',
  subscriber_erase: 'erasure',
};

/** Returns the text key of the confirmation; undefined for messages. */
export const getDeletionText = ({ kind }: Pick<Approval, 'kind'>) => TEXTS[kind];

export const isDeletion = (approval: Pick<Approval, 'kind'>): boolean =>
  getDeletionText(approval) !== undefined;
