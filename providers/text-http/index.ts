// The door of what HTTP providers of texts share.
export * from './reading.ts';
export { openHttpTexts, type TextProtocol, type TextReading } from './relay.ts';
export type { TextAccount } from './settings.ts';
