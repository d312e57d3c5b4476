// Colors of request states.
import type { ApprovalState } from '../shared.ts';

export const getTone = (state: ApprovalState) =>
  state === 'approved' ? 'success' : state === 'open' ? 'warning' : 'neutral';
