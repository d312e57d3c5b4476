// Colors of the states of a request.
import type { ApprovalState } from '../shared.ts';

export const getTone = (state: ApprovalState) =>
  state === 'approved' ? 'success' : state === 'open' ? 'warning' : 'neutral';
