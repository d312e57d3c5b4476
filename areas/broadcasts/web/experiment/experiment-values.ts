// Values of the form of an experiment: what differs, the variants, and the body of the request.
import { BASE_RATES } from '#areas/experiments/shared.ts';
import { DEFAULT_HOLDOUT_DAYS, MAX_VARIANTS, type Metric } from '../../shared.ts';
import type { Experiment } from './experiment-api.ts';

/** Texts that a variant may replace. */
export const TEXT_FIELDS = ['subject', 'preheader', 'from_name', 'text'] as const;
export type TextField = (typeof TEXT_FIELDS)[number];
export type Field = TextField | 'content' | 'delay';

export const FIELDS_OF: Record<'email' | 'sms', readonly Field[]> = {
  email: ['subject', 'preheader', 'from_name', 'content', 'delay'],
  sms: ['text', 'delay'],
};
export const METRICS_OF: Record<'email' | 'sms', readonly Metric[]> = {
  email: ['opens', 'clicks', 'buyers', 'revenue'],
  sms: ['clicks', 'buyers', 'revenue'],
};

/** An empty text, a null delay, and content that is not its own stand for the control's value. */
export type VariantValues = Record<TextField, string> & {
  /** Null for the control, and for other variants until they are saved. */
  id: string | null;
  hasOwnContent: boolean;
  delay: number | null;
};

export type ExperimentValues = {
  fields: Field[];
  metric: Metric;
  duration: number;
  testShare: number;
  holdoutShare: number;
  holdoutDays: number;
  decision: 'automatic' | 'manual';
  fallback: 'leader' | 'control';
  variants: VariantValues[];
};

export const emptyVariant = (): VariantValues => ({
  ...{ id: null, subject: '', preheader: '', from_name: '', text: '' },
  ...{ hasOwnContent: false, delay: null },
});

export function experimentFormValues(
  experiment: Experiment | undefined,
  channel: 'email' | 'sms',
): ExperimentValues {
  if (!experiment) {
    return {
      fields: [channel === 'email' ? 'subject' : 'text'],
      metric: channel === 'email' ? 'opens' : 'clicks',
      ...{ duration: 24, testShare: 20, holdoutShare: 0, holdoutDays: DEFAULT_HOLDOUT_DAYS },
      ...{ decision: 'automatic', fallback: 'leader' },
      variants: [emptyVariant(), emptyVariant()],
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
  const used = FIELDS_OF[channel].filter((field) =>
    variants.some((variant) => differs(variant, field)),
  );
  return {
    fields: used.length > 0 ? used : [FIELDS_OF[channel][0] as Field],
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

export function differs(variant: VariantValues, field: Field): boolean {
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
      const texts = TEXT_FIELDS.filter((field) => FIELDS_OF[channel].includes(field)).map(
        (field) => [field, fields.includes(field) ? variant[field].trim() || null : null] as const,
      );
      return {
        ...(variant.id !== null && { id: variant.id }),
        ...Object.fromEntries(texts),
        ...(channel === 'email' && {
          has_own_content: fields.includes('content') && variant.hasOwnContent,
        }),
        delay_minutes: fields.includes('delay') ? variant.delay : null,
      };
    }),
  };
}

/** Returns the groups of two or more identical variants, as numbers of the variants. */
export function alikeVariants({ fields, variants }: ExperimentValues): number[][] {
  const keyOf = (variant: VariantValues) =>
    JSON.stringify(
      // Designs may differ although their form values are equal.
      fields.map((field) =>
        field === 'content' ? variant.hasOwnContent && variant.id : valueOf(variant, field),
      ),
    );
  const groups = Map.groupBy(
    variants.map((variant, index) => ({ key: keyOf(variant), number: index + 1 })),
    ({ key }) => key,
  );
  return [...groups.values()]
    .filter((group) => group.length > 1)
    .map((group) => group.map(({ number }) => number));
}

const valueOf = (variant: VariantValues, field: Exclude<Field, 'content'>) =>
  field === 'delay' ? (variant.delay ?? 0) : variant[field].trim();

/**
 * Returns a variant for every combination of the different texts and times. Undefined if fewer than
 * two of these fields are compared, if designs are compared, if there are more combinations than
 * the limit, or if there are not more than variants.
 */
export function combine(values: ExperimentValues): VariantValues[] | undefined {
  const fields = values.fields.filter((field) => field !== 'content');
  if (fields.length < 2 || values.fields.length !== fields.length) return undefined;
  let all: VariantValues[] = [emptyVariant()];
  for (const field of fields) {
    const distinct = [...new Set(values.variants.map((variant) => valueOf(variant, field)))];
    all = distinct.flatMap((value) =>
      all.map((variant) =>
        field === 'delay'
          ? { ...variant, delay: Number(value) || null }
          : { ...variant, [field]: String(value) },
      ),
    );
  }
  if (all.length > MAX_VARIANTS || all.length <= values.variants.length) return undefined;
  return all.map((variant) => {
    const known = values.variants.find((variantValues) =>
      fields.every((field) => valueOf(variantValues, field) === valueOf(variant, field)),
    );
    return known ?? variant;
  });
}

export interface Part {
  /** What the recipients get: a variant, later the winner, or nothing. */
  kind: 'variant' | 'winner' | 'nothing';
  /** Number of the variant; 0 for the other parts. */
  number: number;
  /** Percent. */
  share: number;
}

/** Parts of the recipients, in display order. */
export function partsOf(shares: {
  variants: number;
  testShare: number;
  holdoutShare: number;
}): Part[] {
  const { variants, testShare, holdoutShare } = shares;
  const each = testShare / variants;
  const rest = 100 - testShare - holdoutShare;
  return [
    ...Array.from({ length: variants }, (_, index) => ({
      ...{ kind: 'variant' as const, number: index + 1, share: each },
    })),
    ...(rest > 0 ? [{ kind: 'winner' as const, number: 0, share: rest }] : []),
    ...(holdoutShare > 0 ? [{ kind: 'nothing' as const, number: 0, share: holdoutShare }] : []),
  ];
}

/**
 * The expected share of recipients who act: from the account's last campaigns for the saved metric,
 * otherwise a general share for the metric.
 */
export const experimentRate = (metric: Metric, experiment: Experiment | undefined) =>
  experiment?.metric === metric ? experiment.baseline : BASE_RATES[metric];
