// Reports about a workflow's SMS step, or about transactional SMS with one title: the sums over all
// of its messages.
import { readDelivery, readSmsFigures } from '#areas/delivery/server/ledger/index.ts';
import { findLinksOfMessages, readEngagement } from '#areas/tracking/server/index.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { notFound } from '#platform/server/errors.ts';
import type { SmsReportSource } from '../message-report-contract.ts';
import { countReplies } from './inbound.sql.ts';
import { presentFigures } from './present.ts';
import { countUnsubscribes } from './report.sql.ts';
import { findMessagesOfSource } from './message-report.sql.ts';

async function listMessages(tx: Tx, accountId: number, source: SmsReportSource) {
  const messages = await findMessagesOfSource(tx, accountId, source);
  const [last] = messages;
  if (!last) throw notFound();
  return { last, ids: messages.map(({ id }) => id) };
}

export async function readSmsReport(tx: Tx, accountId: number, source: SmsReportSource) {
  const { last, ids } = await listMessages(tx, accountId, source);
  const deliveries = await readDelivery(tx, accountId, ids);
  const engagement = await readEngagement(tx, accountId, ids);
  const replies = await countReplies(tx, accountId, ids);
  const unsubscribes = await countUnsubscribes(tx, accountId, ids);
  const figuresByMessage = await readSmsFigures(tx, accountId, ids);
  const figuresList = deliveries.map((delivery) =>
    presentFigures(
      delivery,
      engagement.get(delivery.messageId),
      figuresByMessage.get(delivery.messageId),
      {
        replies: replies.get(delivery.messageId) ?? 0,
        unsubscribes: unsubscribes.get(delivery.messageId) ?? 0,
      },
    ),
  );
  type Name = keyof (typeof figuresList)[number];
  const sumField = (name: Name) =>
    figuresList.reduce((total, figures) => total + (figures[name] ?? 0), 0);
  return {
    of: source.kind,
    text: last.text ?? '',
    sender: last.sender ?? '',
    figures: {
      ...{
        sent: sumField('sent'),
        accepted: sumField('accepted'),
        delivered: sumField('delivered') || null,
      },
      clicks: sumField('clicks'),
      ...{
        unsubscribes: sumField('unsubscribes'),
        failed: sumField('failed'),
        replies: sumField('replies'),
      },
      ...{ parts: sumField('parts'), cost_micros: sumField('cost_micros') },
    },
  };
}

export async function readSmsLinks(tx: Tx, accountId: number, source: SmsReportSource) {
  const { ids } = await listMessages(tx, accountId, source);
  return findLinksOfMessages(tx, accountId, ids);
}
