// Experiments of SMS campaigns: variants differ in text or send time.
import { z } from 'zod';
import { idOf, text } from '#platform/contract.ts';
import { experimentInput, experimentSchema } from '../broadcasts/experiment-contract.ts';
import { MAX_TEXT_LENGTH } from './shared.ts';

export const SmsExperiment = experimentSchema({
  /** Null if the variant has the text of the control. */
  text: z.string().nullable(),
});
export type SmsExperiment = z.infer<typeof SmsExperiment>;

export const SmsExperimentInput = experimentInput({
  /** ID of the variant, if it exists already. */
  id: idOf('sms_variant').nullable().optional(),
  text: text(MAX_TEXT_LENGTH).nullable().optional(),
});
