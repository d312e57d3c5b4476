// What other areas and providers use of feedback: bounces, complaints and returned email.
export { copyFieldsOf } from './copy-fields.ts';
export type { HookReader } from './hook-provider.ts';
export type { InstanceKeys } from './instance-hooks.ts';
export { type ReturnedEmail, processReturnedEmail, acceptsEmailFor } from './returned-mail.ts';
