// The shared code of HTTP providers of SMS.
export * from './reading.ts';
export { openHttpTexts, type TextProtocol, type TextReading } from './relay.ts';
export type { TextAccount } from './settings.ts';
