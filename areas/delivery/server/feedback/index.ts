// Public interface of feedback for other areas and providers: bounces, complaints and returned
// email.
export { readCopyFields } from './copy-fields.ts';
export type { HookReader } from './hook-provider.ts';
export type { InstanceKeys } from './instance-hooks.ts';
export { processReturnedEmail, acceptsEmailFor } from './returned-email.ts';
