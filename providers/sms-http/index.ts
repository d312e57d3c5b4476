// The shared code of HTTP providers of SMS.
export * from './reading.ts';
export { openHttpSms, type SmsProtocol, type SmsReading } from './relay.ts';
export type { SmsAccount } from './settings.ts';
