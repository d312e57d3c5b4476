// Kinds, states and bounds of approvals, shared by browser and server.

export const APPROVAL_KINDS = [
  'campaign_schedule',
  'campaign_series',
  'campaign_resend',
  'sms_schedule',
  'sms_series',
  'workflow_activate',
  'subscribers_delete',
  'subscriber_erase',
] as const;
export type ApprovalKindName = (typeof APPROVAL_KINDS)[number];

export const APPROVAL_STATES = [
  'open',
  'approved',
  'declined',
  'withdrawn',
  // Its object changed after the request.
  'outdated',
  'expired',
] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

/** Parts of an outline in display order. */
export const OUTLINE_PARTS = [
  'subject',
  'preheader',
  'from',
  'audience',
  'excluded',
  'condition',
  'step',
  'text',
] as const;

export const MAX_NOTE_LENGTH = 500;
export const MAX_OPEN = 200;
export const EXPIRY_DAYS = 14;
