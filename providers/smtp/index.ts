export { attemptSmtp } from './attempt.ts';
export { parseSmtpUrl, smtpOptions, type SmtpOptions } from './options.ts';
export { openSmtpRelay } from './relay.ts';
