// The report of a workflow's SMS step: the sums of its messages.
import { readDelivery, readTextFigures } from '#areas/delivery/server/index.ts';
import { readEngagement } from '#areas/tracking/server/index.ts';
import type { Tx } from '#platform/server/database.ts';
import { notFound } from '#platform/server/errors.ts';
import { countReplies } from './inbound.sql.ts';
import { figuresOf } from './present.ts';
import { countLeft } from './report.sql.ts';
import { linksOfMessages, messagesOfStep } from './step-report.sql.ts';

async function messagesOf(tx: Tx, accountId: number, stepId: number) {
  const messages = await messagesOfStep(tx, accountId, stepId);
  const [last] = messages;
  if (!last) throw notFound();
  return { last, ids: messages.map(({ id }) => id) };
}

export async function readStepReport(tx: Tx, accountId: number, stepId: number) {
  const { last, ids } = await messagesOf(tx, accountId, stepId);
  const deliveries = await readDelivery(tx, accountId, ids);
  const engagement = await readEngagement(tx, accountId, ids);
  const replies = await countReplies(tx, accountId, ids);
  const left = await countLeft(tx, accountId, ids);
  const texts = await readTextFigures(tx, accountId, ids);
  const all = deliveries.map((one) =>
    figuresOf(one, engagement.get(one.messageId), texts.get(one.messageId), {
      replies: replies.get(one.messageId) ?? 0,
      unsubscribes: left.get(one.messageId) ?? 0,
    }),
  );
  type Name = keyof (typeof all)[number];
  const sum = (name: Name) => all.reduce((total, one) => total + one[name], 0);
  return {
    text: last.text ?? '',
    sender: last.sender ?? '',
    figures: {
      ...{ sent: sum('sent'), delivered: sum('delivered'), clicks: sum('clicks') },
      ...{ unsubscribes: sum('unsubscribes'), failed: sum('failed'), replies: sum('replies') },
      ...{ parts: sum('parts'), cost_micros: sum('cost_micros') },
    },
  };
}

export async function readStepLinks(tx: Tx, accountId: number, stepId: number) {
  const { ids } = await messagesOf(tx, accountId, stepId);
  return linksOfMessages(tx, accountId, ids);
}
