// `npm run check`, technical English: API summaries and descriptions follow one form, and log messages avoid the words
// that the field has better terms for.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allRoutes } from '#main/wiring.ts';
import { loadConfig } from '#platform/server/config.ts';

const ROOT = join(import.meta.dirname, '..');
const MAX_SUMMARY_WORDS = 8;

/** The first word of a summary. A new call uses one of these, so that equal operations read alike. */
const VERBS = new Set(
  (
    'Activate Add Approve Attach Cancel Check Confirm Count Create Deactivate Decline Delete Detach Disconnect ' +
    'Download Duplicate Export Get Import List Move Pause Preview Refund Remove Rename Render Resend Restore Resume ' +
    'Retry Rotate Schedule Send Set Start Stop Test Undo Unschedule Update Upload Validate Verify Withdraw'
  ).split(' '),
);

/** Words with a better term: the actor, the field's verb, the field's noun. */
const BANNED =
  /\b(nobody|somebody|anybody|everybody|whoever|anew|told|tells?|brought|brings?|begun|stands?|stood|wished|mails?|hand-overs?)\b/i;

/** What is wrong with a call's summary and description; empty where nothing is. */
export function summaryBreaches(summary: string, description = ''): string[] {
  const words = summary.split(/\s+/);
  return [
    ...(VERBS.has(words[0] ?? '')
      ? []
      : [`"${words[0]}" is not one of the verbs that begin a summary`]),
    ...(words.length > MAX_SUMMARY_WORDS
      ? [`${words.length} words, at most ${MAX_SUMMARY_WORDS}`]
      : []),
    ...(/[.;:]/.test(summary)
      ? ['a summary is one phrase without a period, semicolon or colon']
      : []),
    ...(description && !/\.$/.test(description)
      ? ['a description consists of full sentences']
      : []),
    ...bannedWords(`${summary} ${description}`),
  ];
}

/** What is wrong with the log messages of a source file, by line. */
export function logBreaches(file: string, source: string): string[] {
  const calls = source.matchAll(
    /\blog\.(?:debug|info|warn|error)\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gs,
  );
  return [...calls].flatMap(({ index, 2: message = '' }) => {
    const line = source.slice(0, index).split('\n').length;
    return bannedWords(message).map((breach) => `${file}:${line} ${breach}`);
  });
}

function bannedWords(text: string): string[] {
  const word = BANNED.exec(text)?.[0];
  return word ? [`"${word}" has a better term`] : [];
}

export function checkStyle(): string[] {
  const calls = allRoutes(loadConfig({ NODE_ENV: 'test' })).flatMap(({ area, name, call }) =>
    summaryBreaches(call.summary, call.description).map(
      (breach) => `${area}.${name} "${call.summary}": ${breach}`,
    ),
  );
  const sources = globSync('{areas,platform,providers,main}/**/*.ts', { cwd: ROOT }).filter(
    (file) => !file.endsWith('.test.ts'),
  );
  const logs = sources.flatMap((file) => logBreaches(file, readFileSync(join(ROOT, file), 'utf8')));
  return [...calls, ...logs];
}
