// The thread of content (thread.ts).
import { answerWork } from '#platform/server/work-thread.ts';
import { ContentError } from './message-source.ts';
import { workOn } from './thread-work.ts';

answerWork(workOn, (error) => (error instanceof ContentError ? error.findings : String(error)));
