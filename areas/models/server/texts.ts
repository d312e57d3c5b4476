// Text suggestions: subject lines, rewriting, translation.
import { z } from 'zod';
import type { Language } from '#platform/languages.ts';
import type { Db } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import type { ModelRequest } from '../contract.ts';
import { SUBJECT_LINES, type TextTask } from '../shared.ts';
import { LANGUAGE_NAMES } from './language-names.ts';
import { addActualCost } from './costs.ts';
import {
  type ModelReply,
  extractJson,
  findQueryModel,
  queryModel,
  describeRequest,
} from './query-model.ts';
import type { ModelPrompt } from './protocols.ts';

const MAX_LINE = 255;
const TOKENS_PER_CHARACTER = 1;
const MIN_TOKENS = 1000;
const MAX_TOKENS = 16_000;

const KEEP =
  'Keep every merge tag such as {{firstname}}, every marker such as [[1]] and [[/1]] around its part of the text, and every link exactly as it is. Plain text only, no HTML and no Markdown.';

export type TextInput = {
  task: TextTask;
  texts: string[];
  language: Language;
  instruction: string;
};

function describeTask({ task, language, instruction, texts }: TextInput): string {
  const name = LANGUAGE_NAMES[language];
  const authorNote = instruction === '' ? '' : ` Wish of the author: ${instruction}`;
  const list = `Answer with JSON only: {"texts": [...]} with ${task === 'subject_lines' ? SUBJECT_LINES : texts.length} strings.`;
  switch (task) {
    case 'subject_lines':
      return `Write ${SUBJECT_LINES} different subject lines in ${name} for this email, each at most 60 characters, honest and without exclamation marks. ${list}${authorNote}`;
    case 'rewrite':
      return `Rewrite each text in ${name}: clearer and shorter, with the same meaning. ${KEEP} ${list}${authorNote}`;
    case 'translate':
      return `Translate each text into ${name}. ${KEEP} ${list}${authorNote}`;
  }
}

function createPrompt(input: TextInput): ModelPrompt {
  const characters = input.texts.reduce((sum, { length }) => sum + length, 0);
  return {
    system: `You help to write marketing emails. ${describeTask(input)}`,
    text: JSON.stringify({ texts: input.texts }),
    maxTokens: Math.min(MAX_TOKENS, MIN_TOKENS + characters * TOKENS_PER_CHARACTER),
  };
}

const TextsReply = z.object({ texts: z.array(z.string().max(20_000)).max(100) });

/**
 * Lists merge tags, markers of inline formatting and links of a text, sorted so that their order
 * does not matter.
 */
export function listFixedParts(text: string): string[] {
  const tags = text.match(/\{\{[^{}]{0,500}\}\}|\{\$[^{}]{0,500}\}/g) ?? [];
  const links = text.match(/https?:\/\/[^\s<>"')[\]]{1,2000}/g) ?? [];
  const markers = text.match(/\[\[\/?\d{1,3}\]\]/g) ?? [];
  return [...tags.map((tag) => tag.replace(/\s+/g, '')), ...markers, ...links].sort();
}

const areSame = (left: readonly string[], right: readonly string[]) =>
  left.length === right.length && left.every((value, at) => value === right[at]);

/** Returns the response's lines without markup, or undefined if there are none. */
function readLines(text: string): string[] | undefined {
  const { data } = TextsReply.safeParse(extractJson(text));
  const lines = data?.texts
    .map((line) =>
      line
        .replace(/<[^<>]{0,200}>/g, '')
        .replace(/\s+/g, ' ')
        .trim()
        .slice(0, MAX_LINE),
    )
    .filter((line) => line !== '');
  return lines && lines.length > 0 ? lines.slice(0, SUBJECT_LINES) : undefined;
}

/**
 * Returns the response's text for each source; undefined if the text has other merge tags, markers
 * or links than its source.
 */
function readTexts(text: string, sources: readonly string[]): (string | undefined)[] {
  const { data } = TextsReply.safeParse(extractJson(text));
  const texts = data?.texts.length === sources.length ? data.texts : [];
  return sources.map((source, at) => {
    const plainText = texts[at]?.replace(/<[^<>]{0,200}>/g, '');
    if (plainText === undefined) return undefined;
    return areSame(listFixedParts(plainText), listFixedParts(source)) ? plainText : undefined;
  });
}

const ATTEMPTS = 2;

export async function suggestTexts(
  db: Db,
  accountId: number,
  input: TextInput & { is_confirmed: boolean },
  signal?: AbortSignal,
): Promise<{ request: ModelRequest; texts: string[] | null }> {
  const model = await findQueryModel(db, accountId);
  const prompt = createPrompt(input);
  const request = describeRequest(model, prompt, ATTEMPTS);
  if (!input.is_confirmed) return { request, texts: null };
  const replies: ModelReply[] = [];
  const query = async () => {
    const reply = await queryModel(db, model, prompt, { signal });
    replies.push(reply);
    return reply.text;
  };
  const texts =
    input.task === 'subject_lines'
      ? await suggestLines(query)
      : await suggestReplacements(query, input.texts);
  return { request: addActualCost(request, replies), texts };
}

async function suggestLines(query: () => Promise<string>): Promise<string[]> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const lines = readLines(await query());
    if (lines) return lines;
  }
  throw new AppError('model_answer');
}

/** Returns one text for each source. A further attempt replaces only unusable suggestions. */
async function suggestReplacements(
  query: () => Promise<string>,
  sources: readonly string[],
): Promise<string[]> {
  let texts: (string | undefined)[] = sources.map(() => undefined);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const replacements = readTexts(await query(), sources);
    texts = texts.map((text, at) => text ?? replacements[at]);
    const acceptedTexts = texts.filter((text) => text !== undefined);
    if (acceptedTexts.length === sources.length) return acceptedTexts;
  }
  throw new AppError('model_changed_tags');
}
