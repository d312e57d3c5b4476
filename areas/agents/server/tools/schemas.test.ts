import { expect, test } from 'vitest';
import { conditions, formatConditions } from './schemas.ts';

test('a condition is joined within its group even if another group is in between', () => {
  const list = conditions.parse(
    [
      { group: 1, join: 'and' },
      { group: 2, join: 'or' },
      { group: 1, join: 'or' },
      { group: 2, join: 'and' },
    ].map((part) => ({ type: 'tag', operator: 'have', values: ['x'], ...part })),
  );
  expect(
    formatConditions(list).map(({ group, outside_concat, inside_concat }) => [
      group,
      outside_concat,
      inside_concat,
    ]),
  ).toEqual([
    [1, 'and', 'and'],
    [2, 'or', 'and'],
    [1, 'and', 'or'],
    [2, 'and', 'and'],
  ]);
});
