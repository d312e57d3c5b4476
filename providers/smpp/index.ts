// SMPP 3.4, for SMS providers without a supported HTTP API.
export { openSmpp, type SmppListener } from './relay.ts';
