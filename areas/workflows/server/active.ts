// An active workflow as a turn holds it.
import type { z } from 'zod';
import { type Whereabouts, zoneOfPerson } from '#areas/subscribers/server/index.ts';
import { Settings } from '../workflows-contract.ts';
import type { Tree } from './tree.ts';
import type { WorkflowRow } from './workflows.sql.ts';

export type WorkflowSettings = z.output<typeof Settings>;

export const settingsOf = (row: Pick<WorkflowRow, 'settings'>): WorkflowSettings =>
  Settings.parse(row.settings);

export type ActiveWorkflow = { row: WorkflowRow; tree: Tree; settings: WorkflowSettings };
/** Of one account, by their numbers. */
export type Active = ReadonlyMap<number, ActiveWorkflow>;

/** The person's zone, where it is known; else the account's. */
export const zoneOf = (person: Whereabouts | undefined, account: string): string =>
  (person && zoneOfPerson(person)) ?? account;
