// Lets the account's model write a summary of a report, from its totals, the subject and the sending
// time.
import {
  LANGUAGE_NAMES,
  findQueryModel,
  addActualCost,
  queryModel,
  type QueryOptions,
  describeRequest,
} from '#areas/models/server/index.ts';
import type { Language } from '#platform/languages.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import type { SummaryResponse } from '../contract.ts';
import { readOverview } from './overview.ts';

const MAX_TOKENS = 800;
const MAX_SUMMARY = 3000;

/** For the model: the units and denominators of the input, as in readOverview. */
const FIGURES =
  'Shares are fractions from 0 to 1: of recipients for sent, of sent emails for delivered and bounces, ' +
  'of delivered emails for the others. human_ figures leave out machines.';

export async function summarizeReport(
  db: Db,
  caller: { accountId: number; language: Language },
  id: number,
  isConfirmed: boolean,
  options: QueryOptions,
): Promise<SummaryResponse> {
  const model = await findQueryModel(db, caller.accountId);
  const overview = await inTransaction(db, (tx) =>
    readOverview(tx, caller.accountId, id, { isOwners: true, variant: undefined }),
  );
  const { recipients, remaining, skipped, unknown, figures } = overview;
  const prompt = {
    system: `You summarize the report of an email campaign in ${LANGUAGE_NAMES[caller.language]} for a marketer: at most five sentences, the most important first, figures only from the input, one suggestion at the end. ${FIGURES} Plain text only.`,
    text: JSON.stringify({
      ...{ subject: overview.campaign.subject, sent_at: overview.campaign.sent_at },
      totals: { recipients, remaining, skipped, unknown, figures },
    }),
    maxTokens: MAX_TOKENS,
    isStreamed: true,
  };
  const request = describeRequest(model, prompt);
  if (!isConfirmed) return { request, summary: null };
  const reply = await queryModel(db, model, prompt, options);
  const summary = reply.text
    .replace(/<[^<>]{0,200}>/g, '')
    .trim()
    .slice(0, MAX_SUMMARY);
  if (summary === '') throw new AppError('model_answer');
  return { request: addActualCost(request, [reply]), summary };
}
