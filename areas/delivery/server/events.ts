// What delivery announces upward, each in the transaction of what it tells.
import { defineEvent } from '#platform/server/events.ts';

export type MessageFacts = {
  accountId: number;
  messageId: number;
  /** 'campaign', 'transactional', 'workflow', 'letter', 'form', 'test'. */
  kind: string;
  /** The campaign, workflow step …; null where there is none. */
  sourceId: number | null;
  at: Date;
};

/** The first hand-over of a message has begun: from now on it is sent, not scheduled. */
export const messageStarted = defineEvent<MessageFacts>('message.started');

/** The relay took these copies: one set of many. `singleIds` is parallel for single sends. */
export const messageAccepted = defineEvent<
  MessageFacts & { subscriberIds: number[]; singleIds: number[] }
>('message.accepted');

/**
 * Copies were refused for good. `isPerson`: the address itself does not exist (5.1.1 and its like),
 * so the person has bounced; else it was not the person's fault.
 */
export const messageFailed = defineEvent<
  MessageFacts & {
    failures: {
      subscriberId: number | null;
      singleId: number | null;
      isPerson: boolean;
      code: string;
      reply: string;
    }[];
  }
>('message.failed');

/** Its state changed to this: paused, waiting, sending again, cancelled, finished. */
export const messageChanged = defineEvent<MessageFacts & { state: string; reason: string | null }>(
  'message.changed',
);

/** Every recipient has a final state (`unknown` included). Told again when some were retried. */
export const messageFinished = defineEvent<MessageFacts>('message.finished');
