// Amazon SES by its HTTP API (v2).
export { parseSesUrl, sesOptions } from './options.ts';
export { openSesRelay } from './relay.ts';
export { SesClient, type SesOptions } from './request.ts';
