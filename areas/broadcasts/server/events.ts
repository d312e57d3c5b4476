// Events of broadcasts for higher areas, each published in the transaction of its change.
import type { MessageKind } from '#areas/delivery/message-kinds.ts';
import { defineEvent } from '#platform/server/events.ts';

/**
 * All recipients of a broadcast have a final state, and no rest of an experiment is due. Published
 * again after a retry of some.
 */
export const broadcastFinished = defineEvent<{
  accountId: number;
  kind: MessageKind;
  campaignId: number;
  /** The lead first. */
  messageIds: number[];
  at: Date;
}>('broadcast.finished');

/** An experiment was decided: its rest starts, if there is one. */
export const experimentDecided = defineEvent<{
  accountId: number;
  kind: MessageKind;
  campaignId: number;
  at: Date;
}>('experiment.decided');

/**
 * The rest of an experiment waits for the owner: the test is decided by hand or was missed, or the
 * rest could not start.
 */
export const experimentWaits = defineEvent<{
  accountId: number;
  kind: MessageKind;
  campaignId: number;
  /** The name that its owner knows: the subject, or the title of an SMS campaign. */
  name: string;
  at: Date;
}>('experiment.waits');
