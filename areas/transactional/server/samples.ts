// Reads sample values of a template's variables and renders its loops and conditions with them.
import { readAccount } from '#areas/accounts/server/index.ts';
import {
  ContentError,
  type Email,
  getSampleValues,
  type MergeValues,
} from '#areas/content/server/index.ts';
import { readFields } from '#areas/fields/server/index.ts';
import { isLanguage } from '#platform/languages.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import type { TemplateVariable } from '../contract.ts';
import type { EmailRow } from './emails.sql.ts';
import { renderLogic } from './liquid.ts';
import {
  flatValues,
  type UsedVariables,
  createSampleValues,
  findVariables,
  addSamples,
} from './variables.ts';

/**
 * Reads the author's samples, and default ones in the account's language for the other variables.
 */
export async function readSamples(
  db: Reader,
  row: Pick<EmailRow, 'account_id' | 'variables'>,
  usedVariables: UsedVariables,
): Promise<TemplateVariable[]> {
  const { language } = await readAccount(db, row.account_id);
  return addSamples(
    usedVariables,
    row.variables,
    getSampleValues(isLanguage(language) ? language : 'eng'),
  );
}

/** Returns a function that prepares content as a call would, but with sample values. */
export function createSourcePreparer(db: Reader, row: EmailRow): NonNullable<Email['prepare']> {
  return async (source) => {
    const { subject, preheader, html, text } = source;
    const fields = (await readFields(db, row.account_id)).map(({ name }) => name);
    const usedVariables = findVariables([subject, preheader, html ?? '', text ?? ''], fields);
    const samples = createSampleValues(await readSamples(db, row, usedVariables));
    const parts = await renderLogic({ subject, html, text }, samples).catch(asFinding);
    const required = [...usedVariables.keys()].map((name) => name.split('.')[0] as string);
    return {
      source: { ...source, ...parts },
      sample: flatValues(samples) as MergeValues,
      required,
    };
  };
}

/** Reports an error in loops or conditions as a finding about the content. */
function asFinding(error: unknown): never {
  if (!(error instanceof AppError) || error.code !== 'invalid') throw error;
  const [part, sentences] = Object.entries(error.details.errors ?? {})[0] ?? ['html', []];
  throw new ContentError([
    {
      code: 'logic_invalid',
      severity: 'error',
      part: part === 'subject' || part === 'text' ? part : 'html',
      values: { sentence: sentences[0] ?? '' },
    },
  ]);
}
