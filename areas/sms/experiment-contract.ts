// Experiments of SMS campaigns: variants differ in text or send time.
import { z } from 'zod';
import { idOf, text } from '#platform/contract.ts';
import { experimentInput, experimentSchema } from '../broadcasts/experiment-contract.ts';
import { MAX_TEXT } from './shared.ts';

export const SmsExperiment = experimentSchema({
  /** Null: as in the control. */
  text: z.string().nullable(),
});
export type SmsExperiment = z.infer<typeof SmsExperiment>;

export const SmsExperimentInput = experimentInput({
  /** A variant that the draft has. */
  id: idOf('sms_variant').nullable().optional(),
  text: text(MAX_TEXT).nullable().optional(),
});
