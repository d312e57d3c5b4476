export { attemptSmtp } from './attempt.ts';
export { parseSmtpUrl, parseSmtpOptions, type SmtpOptions } from './options.ts';
export { openSmtpRelay } from './relay.ts';
