// Providers of feedback webhooks, and a limit, that the server and the screens share.

export const HOOK_PROVIDERS = ['ses', 'sendgrid', 'postmark', 'mailgun'] as const;
export type HookProvider = (typeof HOOK_PROVIDERS)[number];

export const MAX_SIGNING_KEY = 2000;
