// The built-in test gateway for trying payments; never used in production.
export { testGateway } from './client.ts';
export { openLedger } from './ledger.ts';
export { testGatewayPlugin } from './plugin.ts';
