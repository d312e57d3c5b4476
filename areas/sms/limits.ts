// Closed lists of SMS campaigns that both halves know.

export const STATUSES = ['DRAFT', 'SCHEDULED', 'SENT'] as const;
export type Status = (typeof STATUSES)[number];
