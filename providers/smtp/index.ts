// The door of the SMTP provider.
export { isLoopback, parseSmtpUrl, type SmtpOptions, SmtpUrlError } from './options.ts';
export { openSmtpRelay } from './relay.ts';
