// Reads a form that accepts sign-ups now, and the version that a sign-up is validated against. This
// is the version that the visitor saw, or the published one if the visitor's version was replaced
// too long ago. Captcha, double opt-in, reward and schedule always come from the published version.
import type { FormType, Snapshot } from '#embed/forms/shared/document.ts';
import { clock } from '#platform/server/clock.ts';
import type { Db } from '#platform/server/database/database.ts';
import { shareReads } from '#platform/server/database/batching.ts';
import type { FormSettings } from '../settings-contract.ts';
import { type Giveaway, findSignUpReward } from './sign-up-reward.ts';
import { findForm, findRecentVersion, findVersion, type FormRow } from './forms.sql.ts';

/**
 * Hours that a replaced version still validates sign-ups: pages stay open for hours, and browsers
 * may use a cached script that long. Later sign-ups are validated against the published version.
 */
export const OLD_VERSION_HOURS = 12;
const HOUR_MS = 3_600_000;

export type OpenForm = {
  form: FormRow;
  /** The settings of the published version. */
  settings: FormSettings;
  captcha: Snapshot['captcha'];
  /** Undefined if the sign-up has no reward. */
  giveaway: Giveaway | undefined;
  /** The version that validates the sign-up and provides its text: see the top of this file. */
  shownVersion: { number: number; snapshot: Snapshot };
};

type OpenFormKey = { db: Db; accountId: number; id: number; version: number };

/**
 * Reads the form and the version of a sign-up; undefined if the form accepts no sign-ups now.
 * `version` is the number that the visitor's page reports; an unknown one selects the published
 * version.
 */
export const readOpenForm = shareReads(
  async ({ db, accountId, id, version }: OpenFormKey): Promise<OpenForm | undefined> => {
    const form = await findForm(db, accountId, id);
    if (!form?.is_active || form.published_version === null) return undefined;
    const { published_version: published } = form;
    const currentVersion = await findVersion(db, accountId, id, published);
    if (!currentVersion) return undefined;
    const { settings } = currentVersion;
    const now = clock.now();
    if (!isWithinSchedule(settings, now)) return undefined;
    const since = new Date(now.getTime() - OLD_VERSION_HOURS * HOUR_MS);
    const olderVersion =
      version < published
        ? await findRecentVersion(db, accountId, id, { number: version, since })
        : undefined;
    const { number, snapshot } = olderVersion ?? currentVersion;
    return {
      form,
      settings,
      captcha: currentVersion.snapshot.captcha,
      giveaway: findSignUpReward(form.type as FormType, currentVersion.document, settings),
      shownVersion: { number, snapshot },
    };
  },
  ({ accountId, id, version }) => `${accountId} ${id} ${version}`,
);

export function isWithinSchedule(settings: FormSettings, at: Date): boolean {
  const { schedule_type, schedule_start: start, schedule_end: end } = settings;
  if (schedule_type !== 'between') return true;
  return (!start || at.getTime() >= Date.parse(start)) && (!end || at.getTime() <= Date.parse(end));
}
