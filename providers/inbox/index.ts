// The door of the built-in inbox. It runs in the web process, which shares its store with the page.
export { DEFAULT_INBOX_PORT, type Inbox, type InboxOptions, startInbox } from './inbox.ts';
export { inboxRoutes } from './routes.ts';
