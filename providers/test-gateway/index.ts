// The built-in test gateway: payments to try everything with, never in production.
export { testGateway } from './client.ts';
export { openLedger } from './ledger.ts';
export { testGatewayPlugin } from './plugin.ts';
