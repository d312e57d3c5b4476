// Diagnostic texts of real mail systems in several languages are classified: as hard bounces of
// addresses that do not exist, or by the cause of the refusal.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { classifyCause, isHard } from './classification.ts';

const TABLE = new URL('../../../../testing/bounce-diagnostics.txt', import.meta.url);
const rows = readFileSync(TABLE, 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split(' | ').map((cell) => cell.trim()) as [string, string, string, string]);

const classify = (status: string, diagnostic: string) =>
  isHard(status, diagnostic) ? 'hard' : classifyCause(status, diagnostic);

describe('diagnostics of mail systems', () => {
  test('the table of diagnostics has at least 200 rows', () => {
    expect(rows.length).toBeGreaterThanOrEqual(200);
    expect(rows.every((row) => row.length === 4)).toBe(true);
  });

  test.each(rows)(
    'a diagnostic of %s: %s %s is classified as %s',
    (_, status, diagnostic, expectedCause) => {
      expect(classify(status, diagnostic)).toBe(expectedCause);
    },
  );

  test('a diagnostic about the network, a filter or a full mailbox does not mark the address as bounced, whatever its code', () => {
    const soft = rows.filter(([, , , expected]) => expected !== 'hard');
    const codes = [
      '',
      '550',
      '5.0.0',
      '5.1.0',
      '5.1.1',
      '5.1.2',
      '5.2.1',
      '5.3.0',
      '5.4.1',
      '5.7.1',
    ];
    // Texts that are ambiguous without the code, and texts about temporarily unavailable addresses.
    const ambiguous =
      /550 (rejected|Domain not found)$|is (disabled|inactive|suspended)|Account suspended|Too many hops|No answer|4\.1\.1|451 Host|access denied$|421/i;
    const misclassified = soft
      .filter(([, , diagnostic]) => !ambiguous.test(diagnostic))
      .flatMap(([system, , diagnostic]) =>
        codes
          .filter((code) => isHard(code, diagnostic))
          .map((code) => `${system} ${code} ${diagnostic}`),
      );
    expect(misclassified).toEqual([]);
  });
});
