// The plan of an import: proposals, one column per target, and the body of the call that starts it.
import { expect, test } from 'vitest';
import type { ImportPreview } from '../contract.ts';
import {
  createPlan,
  findPlanIssue,
  showsGroupsAtOnce,
  toImportBody,
  getTargetType,
  withColumn,
  withGroupName,
  withTarget,
} from './plan.ts';

const preview: ImportPreview = {
  id: 'i',
  source: 'i',
  method: 'file',
  fileName: 'a.csv',
  tags: ['Newsletter'],
  rowCount: 2,
  encoding: 'utf-8',
  delimiter: ',',
  has_header: true,
  header_row: 1,
  service: null,
  file_status: null,
  columns: ['email', 'skip', 'phone'].map((target, column) => ({
    column,
    title: `c${column}`,
    target,
    type: 'text',
    date_order: 'day-first',
    is_own: false,
    is_opt_out: false,
    is_filled: true,
    decimal_mark: '.',
  })),
  rows: [],
};

test('a target moves from its previous column to the chosen one', () => {
  const plan = withTarget(createPlan(preview), 1, 'email');
  expect(plan.columns.map((column) => column.target)).toEqual(['skip', 'email', 'phone']);
  const conflicting = withTarget(withTarget(plan, 0, 'new'), 2, 'new');
  expect(conflicting.columns.map((column) => column.target)).toEqual(['new', 'email', 'new']);
});

test('a full name replaces first and last name, and a last name replaces the full name', () => {
  const nameColumns = withTarget(withTarget(createPlan(preview), 1, 'firstname'), 2, 'lastname');
  const targets = (plan: ReturnType<typeof createPlan>) =>
    plan.columns.map((column) => column.target);
  expect(targets(nameColumns)).toEqual(['email', 'firstname', 'lastname']);
  expect(targets(withTarget(nameColumns, 0, 'fullname'))).toEqual(['fullname', 'skip', 'skip']);
  const fullName = withTarget(createPlan(preview), 1, 'fullname');
  expect(targets(withTarget(fullName, 2, 'lastname'))).toEqual(['email', 'skip', 'lastname']);
});

test('a group renamed twice is identified by its name in the file', () => {
  const plan = { ...createPlan(preview), groups: ['VIP', 'Others'] };
  const renamedOnce = withGroupName(plan, 'vip', 'Best');
  expect(renamedOnce).toMatchObject({
    groups: ['Best', 'Others'],
    groupNames: [{ from: 'vip', to: 'Best' }],
  });
  const renamedTwice = withGroupName(renamedOnce, 'Best', 'others');
  expect(renamedTwice.groupNames).toEqual([{ from: 'vip', to: 'others' }]);
  expect(renamedTwice.groups).toEqual(['others', 'Others']);
  expect(toImportBody(preview, renamedTwice, []).group_names).toEqual(renamedTwice.groupNames);
});

test('the group forecast runs automatically for a short file if the plan has groups and an address', () => {
  const plan = createPlan(preview);
  expect(showsGroupsAtOnce(preview, plan)).toBe(false);
  const withGroups = withTarget(plan, 1, 'groups');
  expect(showsGroupsAtOnce(preview, withGroups)).toBe(true);
  expect(showsGroupsAtOnce(preview, { ...plan, groups: ['Friends'] })).toBe(true);
  expect(showsGroupsAtOnce({ ...preview, rowCount: 20_001 }, withGroups)).toBe(false);
  expect(showsGroupsAtOnce(preview, withTarget(withTarget(withGroups, 0, 'skip'), 2, 'skip'))).toBe(
    false,
  );
});

test('starting an import requires an address, a title for each new field, and attested consent', () => {
  const plan = createPlan(preview);
  expect(findPlanIssue(plan)).toBe('notAttested');
  const attestedPlan = { ...plan, isAttested: true };
  expect(findPlanIssue(attestedPlan)).toBeUndefined();
  expect(findPlanIssue(withTarget(withTarget(attestedPlan, 0, 'skip'), 2, 'skip'))).toBe(
    'noAddress',
  );
  const withNewField = withTarget(attestedPlan, 1, 'new');
  expect(findPlanIssue(withNewField)).toBeUndefined();
  expect(findPlanIssue(withColumn(withNewField, 1, { newTitle: ' ' }))).toBe('newTitle');
});

test('the request contains columns, existing groups by ID, and new groups by title', () => {
  const plan = {
    ...withTarget(createPlan(preview), 1, 'new'),
    groups: ['friends ', 'New'],
    isAttested: true,
    isSmsAttested: true,
  };
  const body = toImportBody(preview, plan, [{ id: 'g1', title: 'Friends' }]);
  expect(body).toMatchObject({
    source: 'i',
    emailColumn: 0,
    phoneColumn: 2,
    tags: ['g1'],
    new_tags: ['New'],
    columns: [
      { target: 'email' },
      { target: 'new', title: 'c1', type: 'text' },
      { target: 'phone' },
    ],
    consent: { attested: true, channels: ['email', 'sms'] },
  });
  const emailOnly = toImportBody(preview, withTarget(plan, 2, 'skip'), []);
  expect(emailOnly.consent?.channels).toEqual(['email']);
});

test('the type of a target is known for dates and for fields of the account', () => {
  const [column] = createPlan(preview).columns;
  if (!column) throw new Error('no column');
  expect(getTargetType(column, [])).toBeUndefined();
  expect(getTargetType({ ...column, target: 'consent_at' }, [])).toBe('datetime');
  expect(getTargetType({ ...column, target: 'f' }, [{ id: 'f', type: 'number' }])).toBe('number');
});
