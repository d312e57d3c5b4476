// Form values of an experiment: what differs, the variants, and the request body.
import { BASE_RATES } from '#areas/experiments/shared.ts';
import { DEFAULT_HOLDOUT_DAYS, MAX_VARIANTS, type ExperimentMetric } from '../../shared.ts';
import type { ExperimentDetails } from './experiment-api.ts';

/** Texts that a variant may replace. */
export const TEXT_FIELDS = ['subject', 'preheader', 'from_name', 'text'] as const;
export type TextField = (typeof TEXT_FIELDS)[number];
export type ComparedField = TextField | 'content' | 'delay';

export const FIELDS_OF: Record<'email' | 'sms', readonly ComparedField[]> = {
  email: ['subject', 'preheader', 'from_name', 'content', 'delay'],
  sms: ['text', 'delay'],
};
export const METRICS_OF: Record<'email' | 'sms', readonly ExperimentMetric[]> = {
  email: ['opens', 'clicks', 'buyers', 'revenue'],
  sms: ['clicks', 'buyers', 'revenue'],
};

/** An empty text, a null delay, and content that is not its own mean the control's value. */
export type VariantValues = Record<TextField, string> & {
  /** Null for the control, and for other variants until they are saved. */
  id: string | null;
  hasOwnContent: boolean;
  delay: number | null;
};

export type ExperimentValues = {
  fields: ComparedField[];
  metric: ExperimentMetric;
  duration: number;
  testShare: number;
  holdoutShare: number;
  holdoutDays: number;
  decision: 'automatic' | 'manual';
  fallback: 'leader' | 'control';
  variants: VariantValues[];
};

export const createEmptyVariant = (): VariantValues => ({
  ...{ id: null, subject: '', preheader: '', from_name: '', text: '' },
  ...{ hasOwnContent: false, delay: null },
});

export function experimentFormValues(
  experiment: ExperimentDetails | undefined,
  channel: 'email' | 'sms',
): ExperimentValues {
  if (!experiment) {
    return {
      fields: [channel === 'email' ? 'subject' : 'text'],
      metric: channel === 'email' ? 'opens' : 'clicks',
      ...{ duration: 24, testShare: 20, holdoutShare: 0, holdoutDays: DEFAULT_HOLDOUT_DAYS },
      ...{ decision: 'automatic', fallback: 'leader' },
      variants: [createEmptyVariant(), createEmptyVariant()],
    };
  }
  const variants = experiment.variants.map((variant) => ({
    id: variant.id,
    subject: variant.subject ?? '',
    preheader: variant.preheader ?? '',
    from_name: variant.from_name ?? '',
    text: variant.text ?? '',
    hasOwnContent: variant.has_own_content ?? false,
    delay: variant.delay_minutes,
  }));
  const usedFields = FIELDS_OF[channel].filter((field) =>
    variants.some((variant) => hasDifference(variant, field)),
  );
  return {
    fields: usedFields.length > 0 ? usedFields : [FIELDS_OF[channel][0] as ComparedField],
    metric: experiment.metric,
    duration: experiment.duration_hours,
    testShare: experiment.test_share,
    holdoutShare: experiment.holdout_share,
    holdoutDays: experiment.holdout_days,
    decision: experiment.decision,
    fallback: experiment.fallback,
    variants,
  };
}

export function hasDifference(variant: VariantValues, field: ComparedField): boolean {
  if (field === 'content') return variant.hasOwnContent;
  if (field === 'delay') return (variant.delay ?? 0) > 0;
  return variant[field] !== '';
}

/** Converts the form to the request body. Fields that are not compared take the control's value. */
export function toExperimentBody(values: ExperimentValues, channel: 'email' | 'sms') {
  const { fields } = values;
  return {
    metric: values.metric,
    duration_hours: values.duration,
    test_share: values.testShare,
    holdout_share: values.holdoutShare,
    holdout_days: values.holdoutDays,
    decision: values.decision,
    fallback: values.fallback,
    variants: values.variants.map((variant, index) => {
      if (index === 0) return {};
      const textEntries = TEXT_FIELDS.filter((field) => FIELDS_OF[channel].includes(field)).map(
        (field) => [field, fields.includes(field) ? variant[field].trim() || null : null] as const,
      );
      return {
        ...(variant.id !== null && { id: variant.id }),
        ...Object.fromEntries(textEntries),
        ...(channel === 'email' && {
          has_own_content: fields.includes('content') && variant.hasOwnContent,
        }),
        delay_minutes: fields.includes('delay') ? variant.delay : null,
      };
    }),
  };
}

/** Returns the groups of two or more identical variants, as numbers of the variants. */
export function findIdenticalVariants({ fields, variants }: ExperimentValues): number[][] {
  const getKey = (variant: VariantValues) =>
    JSON.stringify(
      // Designs may differ although their form values are equal.
      fields.map((field) =>
        field === 'content' ? variant.hasOwnContent && variant.id : getValue(variant, field),
      ),
    );
  const groups = Map.groupBy(
    variants.map((variant, index) => ({ key: getKey(variant), number: index + 1 })),
    ({ key }) => key,
  );
  return [...groups.values()]
    .filter((group) => group.length > 1)
    .map((group) => group.map(({ number }) => number));
}

const getValue = (variant: VariantValues, field: Exclude<ComparedField, 'content'>) =>
  field === 'delay' ? (variant.delay ?? 0) : variant[field].trim();

/**
 * Returns a variant for every combination of the different texts and delays. Returns undefined if
 * fewer than two fields are compared, if the content is compared, if there are more combinations
 * than the limit, or if there are no more combinations than variants.
 */
export function combineFields(values: ExperimentValues): VariantValues[] | undefined {
  const fields = values.fields.filter((field) => field !== 'content');
  if (fields.length < 2 || values.fields.length !== fields.length) return undefined;
  let combinations: VariantValues[] = [createEmptyVariant()];
  for (const field of fields) {
    const distinct = [...new Set(values.variants.map((variant) => getValue(variant, field)))];
    combinations = distinct.flatMap((value) =>
      combinations.map((variant) =>
        field === 'delay'
          ? { ...variant, delay: Number(value) || null }
          : { ...variant, [field]: String(value) },
      ),
    );
  }
  if (combinations.length > MAX_VARIANTS || combinations.length <= values.variants.length)
    return undefined;
  return combinations.map((variant) => {
    const existing = values.variants.find((variantValues) =>
      fields.every((field) => getValue(variantValues, field) === getValue(variant, field)),
    );
    return existing ?? variant;
  });
}

export interface RecipientPart {
  /** What the recipients get: a variant, later the winner, or nothing. */
  kind: 'variant' | 'winner' | 'nothing';
  /** Number of the variant; 0 for the other parts. */
  number: number;
  /** Percent. */
  percentage: number;
}

/** Parts of the recipients, in display order. */
export function splitRecipients(shares: {
  variants: number;
  testShare: number;
  holdoutShare: number;
}): RecipientPart[] {
  const { variants, testShare, holdoutShare } = shares;
  const variantShare = testShare / variants;
  const remainingShare = 100 - testShare - holdoutShare;
  return [
    ...Array.from({ length: variants }, (_, index) => ({
      ...{ kind: 'variant' as const, number: index + 1, percentage: variantShare },
    })),
    ...(remainingShare > 0
      ? [{ kind: 'winner' as const, number: 0, percentage: remainingShare }]
      : []),
    ...(holdoutShare > 0
      ? [{ kind: 'nothing' as const, number: 0, percentage: holdoutShare }]
      : []),
  ];
}

/**
 * Returns the expected response rate. For the metric of the saved experiment, it is the rate of the
 * account's last campaigns; for another metric, it is a general rate.
 */
export const getExperimentRate = (
  metric: ExperimentMetric,
  experiment: ExperimentDetails | undefined,
) => (experiment?.metric === metric ? experiment.baseline : BASE_RATES[metric]);
