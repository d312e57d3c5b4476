// Code shared by the SMS providers that are called by HTTP.
export * from './reading.ts';
export { openHttpSms, type SmsProtocol, type SmsReading } from './relay.ts';
export type { SmsAccount } from './settings.ts';
