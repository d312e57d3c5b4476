import { describe, expect, it } from 'vitest';
import {
  checkStyle,
  findDocViolations,
  findLogViolations,
  findMessageViolations,
  findFileNameViolations,
  findMemberViolations,
  findNameViolations,
  findParamViolations,
  findSummaryViolations,
} from './check-style.ts';

describe('the check of technical English', () => {
  it('accepts the code and documentation of the repository', () => {
    expect(checkStyle()).toEqual([]);
  });

  it.each([
    ['Groups with their counts', /is not one of the verbs/],
    ['Creates a group', /is not one of the verbs/],
    ['Get a group with all of its many different counts', /10 words, at most 8/],
    ['Delete a group.', /one phrase/],
    ['Delete a webhook, and what it was still told', /"told" has a better term/],
  ])('rejects the summary "%s"', (summary, violation) => {
    expect(findSummaryViolations(summary).join()).toMatch(violation);
  });

  it('rejects a description that is a fragment', () => {
    expect(findSummaryViolations('List groups', 'Newest first')).toHaveLength(1);
    expect(findSummaryViolations('List groups', 'Newest first.')).toEqual([]);
  });

  it.each([
    ['Receivers are told\nside by side', 'a.md:1 "told" has a better term'],
    ['\nThe colour of a button', 'a.md:2 "colour" is not in American spelling'],
    ['Add it to the blacklist', 'a.md:1 suppression list'],
  ])('reports the line of a page that says "%s"', (source, violation) => {
    expect(findDocViolations('a.md', source)).toEqual([violation]);
  });

  it.each([
    ['export type Told = {};', 'a.ts:1 Told: "Told" has a better term'],
    ['\n  const askedFor = 1;', 'a.ts:2 askedFor: "asked" has a better term'],
    ['const MOST_ROWS = 5;', 'a.ts:1 MOST_ROWS: a bound is MAX_… or MIN_…'],
  ])('reports the line of the declaration "%s"', (source, violation) => {
    expect(findNameViolations('a.ts', source)).toEqual([violation]);
  });

  it.each([
    ['type A = {\n  told: Date;\n};', 'a.ts:2 told: "told" has a better term'],
    ['class A {\n  private tellState(): void {}\n}', 'a.ts:2 tellState: "tell" has a better term'],
    ['const a = {\n  hasBegun: true,\n};', 'a.ts:2 hasBegun: "Begun" has a better term'],
  ])('reports the line of the member in "%s"', (source, violation) => {
    expect(findMemberViolations('a.ts', source)).toEqual([violation]);
  });

  it('reports a documented parameter that was renamed', () => {
    const source = '/** @param most a bound */\nfunction cut(text: string, max: number) {}';
    expect(findParamViolations('a.ts', source)).toEqual([
      'a.ts:1 @param most: no parameter has this name',
    ]);
    expect(findParamViolations('a.ts', source.replace('most', 'max'))).toEqual([]);
  });

  it('accepts keys of stored documents, columns and the API', () => {
    const source = 'type A = {\n  buttonColour: string;\n  nobody_chosen: 422;\n  toldings: 1;\n};';
    expect(findMemberViolations('a.ts', source)).toEqual([]);
  });

  it.each([
    ['areas/x/server/tell-answers.ts', '"tell"'],
    ['areas/x/web/bring-html.tsx', '"bring"'],
    ['areas/x/server/letters.test.ts', '"letters"'],
  ])('rejects the file name %s', (file, word) => {
    expect(findFileNameViolations(file)).toEqual([`${file}: ${word} has a better term`]);
    expect(findFileNameViolations('areas/tells/server/publish-results.test.ts')).toEqual([]);
  });

  it('accepts standard names, and banned words as parts of other words', () => {
    const source = 'const basket = 1;\nfunction essay() {}\nconst MAX_ROWS = 5;';
    expect(findNameViolations('a.ts', source)).toEqual([]);
  });

  it('ignores code and URLs in a page', () => {
    const source = 'Set `told` ([page](told.md)):\n```\ntold\n```';
    expect(findDocViolations('a.md', source)).toEqual([]);
  });

  it('reports the line of a log message that has the old wording', () => {
    const source =
      "\nlog.warn('A receiver could not be told', { id });\nlog.info('Webhook delivered');";
    expect(findLogViolations('a.ts', source)).toEqual(['a.ts:2 "told" has a better term']);
  });

  it.each([
    ["throw new Error('The relay was told nothing');", 'told'],
    ['throw new CannotStart(`The file ${file} is gone`);', 'is gone'],
    ["\n  reject(\n    new ProtocolError('Nobody reads it'),\n  );", 'Nobody'],
    ['console.log(`${count} taken, ${shed} told to come again`);', 'told'],
    ["const figure = { kind: 'gauge', help: 'Hand-overs without an answer' };", 'Hand-overs'],
    ["const hits = counter('hits_total', 'Opens and clicks taken in');", 'taken in'],
  ])('rejects the message of %s', (source, word) => {
    const [violation = '', ...furtherViolations] = findMessageViolations('a.ts', source);
    expect(furtherViolations).toEqual([]);
    expect(violation).toContain(`"${word}" has a better term`);
  });

  it('ignores values within a message and strings that are not messages', () => {
    const source =
      "throw new Error(`Unknown ${told.name}`);\nconst topic = 'told';\ncall('is gone');";
    expect(findMessageViolations('a.ts', source)).toEqual([]);
  });
});
