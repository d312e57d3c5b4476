// Code that SMS providers share which are called by HTTP.
export * from './reading.ts';
export { openHttpSms, type SmsProtocol, type SmsReading } from './relay.ts';
export type { SmsAccount } from './settings.ts';
