// Experiments of email campaigns: variants differ in subject, preview text, sender name, content or
// send time. The content of each variant has its own path.
import { z } from 'zod';
import { idOf, line } from '#platform/contract.ts';
import {
  experimentCalls as callsOf,
  experimentInput,
  experimentSchema,
} from '../broadcasts/experiment-contract.ts';
import { composingCalls } from '../content/composing-contract.ts';
import { notDraft } from './campaign-contract.ts';
import { CAMPAIGNS_PATH } from './composing-contract.ts';
import { CONTENT_KINDS, MAX_NAME_LENGTH, MAX_PREHEADER, MAX_SUBJECT } from './shared.ts';

export const CampaignExperiment = experimentSchema({
  /** These values are null if the control's value is used. */
  subject: z.string().nullable(),
  preheader: z.string().nullable(),
  from_name: z.string().nullable(),
  has_own_content: z.boolean(),
  /** The editor of the variant's own content. */
  editor: z.enum(CONTENT_KINDS).nullable(),
  thumbnail_url: z.string().nullable(),
});
export type CampaignExperiment = z.infer<typeof CampaignExperiment>;

export const ExperimentInput = experimentInput({
  /** The id of an existing variant, which keeps its content. */
  id: idOf('variant').nullable().optional(),
  subject: line(MAX_SUBJECT).nullable().optional(),
  preheader: line(MAX_PREHEADER).nullable().optional(),
  from_name: line(MAX_NAME_LENGTH).nullable().optional(),
  /** If true, the variant gets its own content, copied from the control's; false discards it. */
  has_own_content: z.boolean().optional(),
});

export const experimentCalls = callsOf(
  CAMPAIGNS_PATH,
  'campaign',
  CampaignExperiment,
  ExperimentInput,
);

export const VARIANTS_PATH = '/client-api/api/campaign-variants';
/** Endpoints for a variant's own content: editors, previews, checks, test emails. */
export const variantCalls = composingCalls(VARIANTS_PATH, 'variant', notDraft);
