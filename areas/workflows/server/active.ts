// An active workflow as a turn holds it.
import type { z } from 'zod';
import { Settings } from '../workflows-contract.ts';
import type { Tree } from './tree.ts';
import type { WorkflowRow } from './workflows.sql.ts';

export type WorkflowSettings = z.output<typeof Settings>;

export const settingsOf = (row: Pick<WorkflowRow, 'settings'>): WorkflowSettings =>
  Settings.parse(row.settings);

export type ActiveWorkflow = { row: WorkflowRow; tree: Tree; settings: WorkflowSettings };
/** Of one account, by their numbers. */
export type Active = ReadonlyMap<number, ActiveWorkflow>;

/** In how far a zone is one: people's may come from anywhere. */
const known = new Map<string, boolean>();

/** The person's zone, where it is one; else the account's. */
export function zoneOf(own: string | null | undefined, account: string): string {
  if (!own) return account;
  let isZone = known.get(own);
  if (isZone === undefined) {
    isZone = true;
    try {
      new Intl.DateTimeFormat('en', { timeZone: own });
    } catch {
      isZone = false;
    }
    if (known.size > 1000) known.clear();
    known.set(own, isZone);
  }
  return isZone ? own : account;
}
