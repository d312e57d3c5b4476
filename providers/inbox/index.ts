// Public interface of the built-in inbox, which runs in the web process, as does its page.
export { type Inbox, startInbox } from './inbox.ts';
export { inboxRoutes } from './routes.ts';
