// API calls of experiments under the paths of one kind of broadcast.
import { useQuery } from '@tanstack/react-query';
import type { z } from 'zod';
import { type ResponseOf, client } from '#platform/web/api/api.ts';
import type {
  experimentCalls,
  experimentInput,
  experimentSchema,
} from '../../experiment-contract.ts';
import { MIN_VARIANT_PEOPLE } from '../../shared.ts';
import type { Broadcast, BroadcastUi } from '../ui.ts';

/** Fields that variants of any kind may change: emails have no text, SMS only a text. */
type ComparedFields = {
  subject: z.ZodOptional<z.ZodNullable<z.ZodString>>;
  preheader: z.ZodOptional<z.ZodNullable<z.ZodString>>;
  from_name: z.ZodOptional<z.ZodNullable<z.ZodString>>;
  has_own_content: z.ZodOptional<z.ZodBoolean>;
  text: z.ZodOptional<z.ZodNullable<z.ZodString>>;
};
type ShownFields = ComparedFields & {
  /** The editor of the variant's own content. */
  editor: z.ZodOptional<z.ZodNullable<z.ZodEnum<{ editor: 'editor'; html: 'html'; text: 'text' }>>>;
};
type InputFields = ComparedFields & { id: z.ZodOptional<z.ZodNullable<z.ZodString>> };

/** The calls are typed with this path; `getExperimentApi` replaces it with the path of the kind. */
const BASE = '/client-api/api/campaigns';
type ExperimentCalls = ReturnType<
  typeof experimentCalls<
    typeof BASE,
    ReturnType<typeof experimentSchema<ShownFields>>,
    ReturnType<typeof experimentInput<InputFields>>
  >
>;
export type ExperimentDetails = ResponseOf<
  ExperimentCalls,
  'GET /client-api/api/campaigns/{id}/experiment'
>['data'];

export const getExperimentApi = ({ base }: Pick<BroadcastUi, 'base'>) =>
  client<ExperimentCalls>((name) => name.replace(BASE, base));

const isMoving = (experiment: ExperimentDetails | undefined) =>
  experiment?.state === 'testing' || experiment?.rest?.state === 'sending';

/** Loads the experiment. Without one the response is 404, which the screens handle themselves. */
export function useExperiment(ui: Pick<BroadcastUi, 'base'>, id: string, isOn = true) {
  return useQuery({
    ...getExperimentApi(ui).query('GET /client-api/api/campaigns/{id}/experiment', {
      params: { id },
    }),
    enabled: isOn,
    // Counts also change between notifications.
    refetchInterval: ({ state }) => (isMoving(state.data?.data) ? 5_000 : false),
    meta: { notFound: 'inline' },
  });
}

/**
 * Returns whether a variant would get too few of the `count` recipients; sending is refused in this
 * case.
 */
export function useIsTooSmall(ui: BroadcastUi, campaign: Broadcast, count: number): boolean {
  const experiment = useExperiment(ui, campaign.id, campaign.experiment !== null).data?.data;
  if (!experiment || campaign.experiment === null) return false;
  const variantSize = Math.floor(
    (count * experiment.test_share) / 100 / experiment.variants.length,
  );
  return variantSize < MIN_VARIANT_PEOPLE;
}

/** Returns A for the control, B for variant 2. */
export const getVariantLetter = (number: number) => String.fromCharCode(64 + number);
