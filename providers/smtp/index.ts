// The door of the SMTP provider.
export { parseSmtpUrl, type SmtpOptions } from './options.ts';
export { openSmtpRelay } from './relay.ts';
