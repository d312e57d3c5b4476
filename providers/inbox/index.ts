// The door of the built-in inbox. It runs in the web process, which shares its store with the page.
export { type Inbox, startInbox } from './inbox.ts';
export { inboxRoutes } from './routes.ts';
