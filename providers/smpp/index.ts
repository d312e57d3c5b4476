// SMPP 3.4: for every provider of texts that speaks no HTTP of ours.
export { openSmpp, type SmppHearing } from './relay.ts';
