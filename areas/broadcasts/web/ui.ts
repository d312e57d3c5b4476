// Interface of a kind of broadcast for shared screens: paths of its calls and pages, its steps and
// its names.
import type { z } from 'zod';
import { client } from '#platform/web/api/api.ts';
import type { Search } from '#platform/web/ui/screen-link.tsx';
import type { ExperimentSummary } from '../experiment-contract.ts';
import type { Series } from '../planning-contract.ts';
import type { recipientCalls } from '../recipients-contract.ts';
import type { BroadcastDelivery, sendingCalls } from '../sending-contract.ts';
import type { Timing, timingCalls } from '../timing-contract.ts';

type NamedItem = { id: string; title: string };

/** Fields that all kinds share. */
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
  timing: Timing;
  delivery: BroadcastDelivery | null;
  experiment: ExperimentSummary | null;
  /** Its repetition, if it is the model of a recurring campaign. */
  series: Series | null;
  /** The model of the recurring campaign that it belongs to. */
  series_of: string | null;
}

/** The path does not affect the types of the calls. */
const BASE = '/client-api/api/campaigns';
/** A response with the new revision and the fields of the kind. */
type WithRevision = z.ZodObject<{ revision: z.ZodNumber }>;
type Calls = ReturnType<typeof recipientCalls<typeof BASE>> &
  ReturnType<typeof sendingCalls<typeof BASE, z.ZodObject>> &
  ReturnType<typeof timingCalls<typeof BASE, WithRevision>>;
export type BroadcastApi = ReturnType<typeof client<Calls>>;

export interface BroadcastUi {
  channel: 'email' | 'sms';
  /** The path of its calls, such as `/client-api/api/campaigns`; an id follows after a slash. */
  base: string;
  /** The page of its list. */
  list: string;
  /** Text key of the list's title. */
  title: string;
  create: string;
  api: BroadcastApi;
  steps: readonly { name: string; text: string; action: string; isKept: boolean }[];
  stepPath(id: string, step: string): string;
  experimentPath(id: string): string;
  reportPath(id: string): string;
  failuresPath(id: string): { to: string; search?: Search };
  read(id: string): Promise<Broadcast>;
  /** Creates a duplicate draft; returns its id. */
  duplicate(id: string, title: string): Promise<string>;
}

/** The API calls of one kind. */
export const broadcastApi = (base: string): BroadcastApi =>
  client<Calls>((name) => name.replace(BASE, base));

/** Keys of the queries that an action invalidates. */
export const affectedQueries = (ui: Pick<BroadcastUi, 'base'>, id: string) => [
  `${ui.base}/${id}`,
  ui.base,
];
