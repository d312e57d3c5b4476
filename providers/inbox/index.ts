// The inbox runs in the web process, which shares its store with the page.
export { type Inbox, startInbox } from './inbox.ts';
export { inboxRoutes } from './routes.ts';
