// Creates conditions from a description: the account's model proposes them, and the user sees them
// as a sentence with a count before saving them.
import { z } from 'zod';
import {
  queryModel,
  extractJson,
  findQueryModel,
  addActualCost,
  type ModelPrompt,
  describeRequest,
} from '#areas/models/server/index.ts';
import { readFields } from '#areas/fields/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import type { WordsResponse } from '../contract.ts';
import { getKeyKind, getOperandKind, listOperators, type OperandKind } from '../conditions.ts';
import { readConditions } from '../filter-grammar.ts';
import { ALL_CONDITION_TYPES } from '../shared.ts';
import { listGroupTitles } from './segments.sql.ts';
import { previewConditions, type Author } from './segments.ts';

/** Groups and fields named in the prompt. */
const MAX_NAMED = 200;
const MAX_TOKENS = 2000;
const ATTEMPTS = 2;

/** Kinds of operands that are IDs of objects; the prompt does not list these objects. */
const UNNAMED_KINDS: ReadonlySet<OperandKind | undefined> = new Set([
  'campaigns',
  'sms_campaigns',
  'stores',
  'products',
]);

/** Each type with the operators that need no ID of an object that the prompt omits, one per line. */
const GRAMMAR = ALL_CONDITION_TYPES.flatMap((type) => {
  const operators = listOperators(type)
    .map((operator) => ({ operator, kind: getOperandKind(type, operator) }))
    .filter(({ kind }) => !UNNAMED_KINDS.has(kind));
  if (operators.length === 0 || getKeyKind(type) === 'event') return [];
  return `${type}: ${operators.map(({ operator, kind }) => `${operator}(${kind})`).join(', ')}`;
}).join('\n');

/** Contains the description and the titles of groups and fields, but no data of subscribers. */
async function buildPrompt(db: Db, accountId: number, description: string): Promise<ModelPrompt> {
  const groups = await listGroupTitles(db, accountId, MAX_NAMED);
  const fields = (await readFields(db, accountId)).slice(0, MAX_NAMED);
  const promptContext = {
    today: clock.now().toISOString().slice(0, 10),
    groups: groups.map(({ id, title }) => ({ id: encodeId('group', id), title })),
    fields: fields.map(({ id, title, type }) => ({ id: encodeId('field', id), title, type })),
    description,
  };
  return {
    system: [
      'You turn a description of subscribers into conditions of a segment.',
      'Condition types with their operators, and the operand of each in brackets:',
      GRAMMAR,
      'A condition is {"type","operator","operand","more":[],"group":1,"inside_concat":"and"|"or","outside_concat":"and"|"or","key":""}.',
      'operand is the first value, more are further ones. Conditions with the same group number form one parenthesized group. key is the id of a field for text, number, datetime and birthday. Dates are YYYY-MM-DD. Use ids of the given groups and fields only.',
      'Answer with JSON only: {"conditions":[...]}. If the description cannot be expressed, answer {"conditions":[]}.',
    ].join('\n'),
    text: JSON.stringify(promptContext),
    maxTokens: MAX_TOKENS,
  };
}

const ModelReply = z.object({ conditions: z.array(z.unknown()).max(50) });

/** Returns the conditions of an answer, or undefined if any of them is malformed. */
function parseConditions(text: string) {
  const { data } = ModelReply.safeParse(extractJson(text));
  if (!data) return undefined;
  const { conditions, droppedCount } = readConditions(data.conditions);
  return droppedCount === 0 ? conditions : undefined;
}

export async function suggestSegment(
  db: Db,
  caller: Author,
  { words: description, is_confirmed }: { words: string; is_confirmed: boolean },
  signal?: AbortSignal,
): Promise<WordsResponse> {
  const model = await findQueryModel(db, caller.accountId);
  const prompt = await buildPrompt(db, caller.accountId, description);
  const request = describeRequest(model, prompt, ATTEMPTS);
  const suggestion: WordsResponse = {
    request,
    conditions: null,
    sentence: null,
    subscribers: null,
  };
  if (!is_confirmed) return suggestion;
  const replies: Awaited<ReturnType<typeof queryModel>>[] = [];
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const reply = await queryModel(db, model, prompt, { signal });
    replies.push(reply);
    const conditions = parseConditions(reply.text);
    if (!conditions) continue;
    if (conditions.length === 0) throw new AppError('words_unclear');
    const { sentence, subscribers } = await inTransaction(db, (tx) =>
      previewConditions(tx, caller, conditions),
    );
    return { request: addActualCost(request, replies), conditions, sentence, subscribers };
  }
  throw new AppError('words_unclear');
}
