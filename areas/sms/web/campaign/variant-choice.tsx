// The variant of an experiment that is previewed and tested.
import { SegmentedControl } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { getVariantLetter, useExperiment } from '#areas/broadcasts/web/index.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { SmsCampaign } from '../../contract.ts';
import { smsUi } from '../ui.ts';

interface VariantChoice {
  /** The campaign as the chosen variant sends it. */
  campaign: SmsCampaign;
  isControl: boolean;
  /** The control that selects the variant; null without an experiment. */
  choice: ReactNode;
}

export function useVariantChoice(campaign: SmsCampaign): VariantChoice {
  const t = useTexts('sms');
  const [number, setNumber] = useState(1);
  const experiment = useExperiment(smsUi, campaign.id, campaign.experiment !== null);
  const variants = experiment.data?.data.variants ?? [];
  const text = variants.find((variant) => variant.number === number)?.text ?? campaign.text;
  return {
    campaign: { ...campaign, text },
    isControl: text === campaign.text,
    choice:
      variants.length > 0 ? (
        <SegmentedControl
          aria-label={t('preview.variant')}
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
