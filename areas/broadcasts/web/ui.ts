// Describes a kind of broadcast (email or SMS campaigns) to the shared screens: its API, paths,
// steps and text keys.
import type { z } from 'zod';
import { client } from '#platform/web/api/api.ts';
import type { Search } from '#platform/web/ui/screen-link.tsx';
import type { ExperimentSummary } from '../experiment-contract.ts';
import type { Series } from '../planning-contract.ts';
import type { recipientCalls } from '../recipients-contract.ts';
import type { BroadcastDelivery, sendingCalls } from '../sending-contract.ts';
import type { BroadcastTiming, timingCalls } from '../timing-contract.ts';

type NamedItem = { id: string; title: string };

/** Fields that all kinds of broadcasts share. */
export interface Broadcast {
  id: string;
  title: string;
  status: 'DRAFT' | 'SCHEDULED' | 'SENT';
  last_action: string;
  revision: number;
  send_to_all: boolean;
  tags: NamedItem[];
  exclude_tags: NamedItem[];
  filters: NamedItem[];
  exclude_filters: NamedItem[];
  schedule_zone: string | null;
  scheduled_at: string | null;
  is_late: boolean;
  timing: BroadcastTiming;
  delivery: BroadcastDelivery | null;
  experiment: ExperimentSummary | null;
  /** The repetition, if this is the model of a recurring campaign. */
  series: Series | null;
  /** The id of the recurring campaign's model, if this is one of its campaigns. */
  series_of: string | null;
}

/**
 * The calls of every kind of broadcast are typed with this path so that all kinds have one type of
 * API. `getBroadcastApi` replaces it with the path of the kind.
 */
const BASE = '/client-api/api/campaigns';
/** The part of the response that all kinds share: the new revision. */
type WithRevision = z.ZodObject<{ revision: z.ZodNumber }>;
type BroadcastCalls = ReturnType<typeof recipientCalls<typeof BASE>> &
  ReturnType<typeof sendingCalls<typeof BASE, z.ZodObject>> &
  ReturnType<typeof timingCalls<typeof BASE, WithRevision>>;
export type BroadcastApi = ReturnType<typeof client<BroadcastCalls>>;

export interface BroadcastUi {
  channel: 'email' | 'sms';
  /** Base path of the API calls of this kind, such as `/client-api/api/campaigns`. */
  base: string;
  /** Path of the screen that lists broadcasts of this kind. */
  listPath: string;
  /** Text key of the list's title. */
  titleKey: string;
  /** Text key for the title of a new, unsaved broadcast. */
  newTitleKey: string;
  api: BroadcastApi;
  steps: readonly {
    name: string;
    /** Text key of the step's name. */
    text: string;
    /** The value of `last_action` that makes the draft continue with this step. */
    lastAction: string;
    /** Whether the step saves each change so that it can be left at any time. */
    savesEachChange: boolean;
  }[];
  getStepPath(id: string, step: string): string;
  getExperimentPath(id: string): string;
  getReportPath(id: string): string;
  getFailuresLink(id: string): { to: string; search?: Search };
  read(id: string): Promise<Broadcast>;
  /** Creates a duplicate draft; returns its id. */
  duplicate(id: string, title: string): Promise<string>;
}

/** Creates the API client of one kind. */
export const getBroadcastApi = (base: string): BroadcastApi =>
  client<BroadcastCalls>((name) => name.replace(BASE, base));

/** Paths to invalidate after an action on a broadcast. */
export const listAffectedQueries = (ui: Pick<BroadcastUi, 'base'>, id: string) => [
  `${ui.base}/${id}`,
  ui.base,
];
