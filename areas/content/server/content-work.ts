// Defines the content tasks of the worker threads (thread.ts).
import { ContentError } from './personalization/message-source.ts';

export { runTask as work } from './thread-work.ts';

export const failure = (error: unknown) =>
  error instanceof ContentError ? error.findings : String(error);
