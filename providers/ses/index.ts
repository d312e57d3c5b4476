// Amazon SES over its HTTP API (v2).
export { parseSesUrl, parseSesOptions } from './options.ts';
export { openSesRelay } from './relay.ts';
export { SesClient, type SesOptions } from './request.ts';
