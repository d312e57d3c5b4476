// Public interface of the built-in phone, which runs in the web process and receives SMS from the
// sender over loopback.
export { openPhoneRelay } from './relay.ts';
export { phoneRoutes } from './routes.ts';
export { PhoneStore } from './store.ts';
