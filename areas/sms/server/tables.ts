// The tables of this area: written by it alone.

export const TABLES = ['sms_campaigns'] as const;
