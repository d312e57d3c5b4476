// The door of the built-in phone. It runs in the web process; the sender hands texts to it over loopback.
export { openPhoneRelay } from './relay.ts';
export { phoneRoutes } from './routes.ts';
export { PhoneStore } from './store.ts';
