// Recognizes requests to delete or erase subscribers. Screens describe and confirm them differently
// from requests to send a campaign or activate a workflow.
import type { Approval } from '../contract.ts';

const TEXTS: Partial<Record<Approval['kind'], 'deletion' | 'erasure'>> = {
  subscribers_delete: 'deletion',
  subscriber_erase: 'erasure',
};

/** Returns the text key of the confirmation; undefined for requests of other kinds. */
export const getDeletionText = ({ kind }: Pick<Approval, 'kind'>) => TEXTS[kind];

export const isDeletion = (approval: Pick<Approval, 'kind'>): boolean =>
  getDeletionText(approval) !== undefined;
