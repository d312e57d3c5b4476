// Bounds of the audit log, shared by browser and server.

export const MIN_RETENTION_DAYS = 30;
/** Seven years. */
export const MAX_RETENTION_DAYS = 2555;
export const RETENTION_DAYS = 365;
export const ACTORS = ['session', 'token', 'agent', 'system'] as const;
