// The phone runs in the web process; the sender delivers SMS to it over loopback.
export { openPhoneRelay } from './relay.ts';
export { phoneRoutes } from './routes.ts';
export { PhoneStore } from './store.ts';
