// The variant of an experiment that the review previews and tests.
import { SegmentedControl } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { getVariantLetter, useExperiment } from '#areas/broadcasts/web/index.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { EmailRef } from '../../content/web/index.ts';
import type { Campaign } from '../contract.ts';
import { getEmailPath } from './composing.ts';
import { VARIANTS } from './queries.ts';
import { emailUi } from './ui.ts';

interface VariantChoice {
  email: EmailRef;
  editor: Campaign['editor'];
  /** Renders nothing if the campaign has no experiment. */
  choice: ReactNode;
}

export function useVariantChoice(campaign: Campaign): VariantChoice {
  const t = useTexts('campaigns');
  const { id, editor } = campaign;
  const [number, setNumber] = useState(1);
  const experiment = useExperiment(emailUi, id, campaign.experiment !== null);
  const variants = experiment.data?.data.variants ?? [];
  const variant = variants.find((variant) => variant.number === number);
  return {
    email: variant?.id ? { basePath: VARIANTS, id: variant.id } : getEmailPath(id),
    editor: variant?.editor ?? editor,
    choice:
      variants.length > 0 ? (
        <SegmentedControl
          mb="sm"
          aria-label={t('review.variant')}
          value={String(number)}
          onChange={(value) => setNumber(Number(value))}
          data={variants.map((variant) => ({
            value: String(variant.number),
            label: getVariantLetter(variant.number),
          }))}
        />
      ) : null,
  };
}
