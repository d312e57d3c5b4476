// The result of reading rows: subscribers, notes, and rejections with reasons.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ImportedRecord } from '#areas/subscribers/server/index.ts';
import { type MappedColumn, RecordReader, type RowIssue } from './import-records.ts';
import type { RawRow } from './reading/rows.ts';

const targets: MappedColumn['target'][] = [
  'email',
  'phone',
  'firstname',
  'lastname',
  'email_status',
  'consent_at',
  { field: 7, type: 'text' },
  { field: 8, type: 'number' },
  { field: 9, type: 'datetime' },
];

function readAll(
  rows: string[][],
  problem?: RawRow['problem'],
  mappedColumns: readonly MappedColumn['target'][] = targets,
): { records: ImportedRecord[]; issues: RowIssue[] } {
  const records: ImportedRecord[] = [];
  const issues: RowIssue[] = [];
  const columns = mappedColumns.map(
    (target, column): MappedColumn => ({
      column,
      title: typeof target === 'object' ? `Field ${target.field}` : target,
      target,
      dateOrder: 'day-first',
      decimalMark: '.',
    }),
  );
  const reader = new RecordReader(
    {
      columns,
      width: targets.length,
      headerRow: 1,
      country: 'LT',
      timezone: 'Europe/Vilnius',
      attestedChannels: ['email', 'sms'],
    },
    (record) => records.push(record),
    (issue) => issues.push(issue),
  );
  rows.forEach((cells, i) =>
    reader.read({ number: i + 1, cells, ...(problem && i > 0 ? { problem } : {}) }),
  );
  return { records, issues };
}

const heading = ['email'];

describe('RecordReader', () => {
  it('reads birthdays as day and month, and omits invalid ones', () => {
    const mappedColumns: MappedColumn['target'][] = ['email', { field: 5, type: 'birthday' }];
    const rows = [
      heading,
      ['a@x.example', '12/05'],
      ['b@x.example', '1990-02-29'],
      ['c@x.example', '29/2'],
    ];
    const { records, issues } = readAll(rows, undefined, mappedColumns);
    expect(records.map((record) => record.fieldValues)).toEqual([
      '{"5":"05-12"}',
      '{}',
      '{"5":"02-29"}',
    ]);
    expect(issues).toMatchObject([{ row: 3, isRejected: false, reason: 'date_invalid' }]);
  });

  it('reads each type of value', () => {
    const { records, issues } = readAll([
      heading,
      [
        'Ada@Example.com',
        '8 612 34567',
        ' Ada ',
        'Lovelace',
        'unsubscribed',
        '31.01.2026 12:00',
        'say "hi"',
        '1 234,5',
        '2026-01-31T10:00:00Z',
      ],
    ]);
    expect(issues).toEqual([]);
    expect(records).toEqual([
      {
        groups: [],
        row: 2,
        email: 'Ada@example.com',
        emailKey: 'ada@example.com',
        phone: '+37061234567',
        firstname: 'Ada',
        lastname: 'Lovelace',
        fieldValues: '{"7":"say \\"hi\\"","8":1234.5,"9":"2026-01-31 12:00:00"}',
        emailStatus: 'unsubscribed',
        smsStatus: null,
        consentAt: new Date('2026-01-31T10:00:00Z'),
        unsubscribedAt: null,
      },
    ]);
  });

  it('imports a person with some invalid values and reports which were omitted', () => {
    const { records, issues } = readAll([
      heading,
      ['ada@example.com', 'call me', 'Ada', 'L', 'perhaps', 'soon', 'x', 'many', 'never'],
      ['not an address', '+370 612 34567'],
    ]);
    expect(
      records.map((record) => [record.email, record.phone, record.emailStatus, record.fieldValues]),
    ).toEqual([
      ['ada@example.com', null, 'non-subscribed', '{"7":"x"}'],
      [null, '+37061234567', null, '{}'],
    ]);
    expect(issues).toMatchObject([
      {
        row: 2,
        isRejected: false,
        reason: 'phone_invalid,status_unknown,date_invalid,number_invalid',
        columnTitle: 'phone; email_status; consent_at; Field 8; Field 9',
      },
      { row: 3, isRejected: false, reason: 'email_left_out', columnTitle: 'email' },
    ]);
  });

  it('rejects rows without a reachable address or with too many cells, each with its reason', () => {
    const { records, issues } = readAll([
      heading,
      ['ada at example.com'],
      ['', '12'],
      ['', '', 'Ada'],
      ['', ' '],
      ['a@example.com', '', '', '', '', '', '', '', '', 'tail'],
      ['b@example.com', '', '', '', '', '', '', '', '', ''],
    ]);
    expect(
      issues.map((issue) => [issue.row, issue.isRejected, issue.reason, issue.rowText]),
    ).toEqual([
      [2, true, 'email_missing_at', 'ada at example.com'],
      [3, true, 'phone_too_short', ',12'],
      [4, true, 'no_address', ',,Ada'],
      [6, true, 'too_many_cells', 'a@example.com,,,,,,,,,tail'],
    ]);
    expect(records.map((record) => record.email)).toEqual(['b@example.com']);
  });

  it('imports only the first row of a repeated address, and assigns a phone number to only one person', () => {
    const { records, issues } = readAll([
      heading,
      ['ada@example.com', '+37061234567'],
      ['ADA@example.com'],
      ['bob@example.com', '+370 612 34567'],
      ['', '+37061234567'],
    ]);
    expect(records.map((record) => [record.emailKey, record.phone])).toEqual([
      ['ada@example.com', '+37061234567'],
      ['bob@example.com', null],
    ]);
    expect(issues.map((issue) => [issue.row, issue.isRejected, issue.reason])).toEqual([
      [3, true, 'duplicate_in_file:2'],
      [4, false, 'phone_taken'],
      [5, true, 'duplicate_in_file:2'],
    ]);
  });

  it('reports the SMS opt-out of a phone number that an earlier row contains', () => {
    const optOuts: ImportedRecord[] = [];
    const records: ImportedRecord[] = [];
    const reader = new RecordReader(
      {
        columns: (['email', 'phone', 'sms_status'] as const).map((target, column) => ({
          column,
          title: target,
          target,
          dateOrder: 'day-first' as const,
          decimalMark: '.' as const,
        })),
        width: 3,
        headerRow: 1,
        country: 'LT',
        timezone: 'Europe/Vilnius',
        attestedChannels: ['email', 'sms'],
      },
      (record) => records.push(record),
      () => {},
      (record) => optOuts.push(record),
    );
    for (const [i, cells] of [
      ['email', 'phone', 'sms_status'],
      ['ada@example.com', '+37061234567', 'active'],
      ['bob@example.com', '+37061234567', 'unsubscribed'],
      ['cy@example.com', '+37061234567', 'active'],
    ].entries())
      reader.read({ number: i + 1, cells });
    expect(records.map((record) => [record.emailKey, record.phone])).toEqual([
      ['ada@example.com', '+37061234567'],
      ['bob@example.com', null],
      ['cy@example.com', null],
    ]);
    expect(
      optOuts.map(({ row, emailKey, phone, emailStatus, smsStatus }) => [
        row,
        emailKey,
        phone,
        emailStatus,
        smsStatus,
      ]),
    ).toEqual([[3, null, '+37061234567', null, 'unsubscribed']]);
  });

  it('reports why a row could not be split into cells', () => {
    const { issues } = readAll([heading, ['x']], 'row_too_long');
    expect(issues).toMatchObject([{ row: 2, isRejected: true, reason: 'row_too_long' }]);
  });

  it('returns a person, a rejection or nothing for each row, and valid JSON', () => {
    const cell = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('a@b.co', '+37061234567', '1,5', '2026-01-01', 'yes', ''),
    );
    fc.assert(
      fc.property(fc.array(fc.array(cell, { maxLength: 11 }), { maxLength: 6 }), (rows) => {
        const { records, issues } = readAll([heading, ...rows]);
        const rejectedRows = issues.filter((issue) => issue.isRejected);
        expect(records.length + rejectedRows.length).toBeLessThanOrEqual(rows.length);
        for (const record of records) {
          expect(record.emailKey ?? record.phone).not.toBeNull();
          JSON.parse(record.fieldValues);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('splits a full name at its first space and omits a part that is too long', () => {
    const { records, issues } = readAll(
      [
        heading,
        ['ada@x.example', 'Ada Mae Lovelace'],
        ['bob@x.example', 'Bob'],
        ['cyd@x.example', ''],
        ['dan@x.example', `Dan ${'l'.repeat(256)}`],
      ],
      undefined,
      ['email', 'fullname'],
    );
    expect(records.map(({ firstname, lastname }) => [firstname, lastname])).toEqual([
      ['Ada', 'Mae Lovelace'],
      ['Bob', null],
      [null, null],
      ['Dan', null],
    ]);
    expect(issues).toMatchObject([{ row: 5, isRejected: false, reason: 'value_too_long' }]);
  });
});
