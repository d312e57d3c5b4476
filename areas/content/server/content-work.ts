// Work of content in the pool of threads (thread.ts).
import { ContentError } from './message-source.ts';

export { workOn as work } from './thread-work.ts';

export const failure = (error: unknown) =>
  error instanceof ContentError ? error.findings : String(error);
