// Requests to delete subscribers: described and confirmed differently from messages.
import type { Approval } from '../contract.ts';

export const isDeletion = ({ kind }: Pick<Approval, 'kind'>): boolean =>
  kind === 'subscribers_delete';
