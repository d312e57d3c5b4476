// A campaign's SMS as one subscriber gets it.
import { Stack } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { SmsCampaign } from '../../contract.ts';
import { api } from '../queries.ts';
import { SubscriberChoice } from './subscriber-choice.tsx';
import { PhoneFrame } from './phone-frame.tsx';

/** @param choice the control that selects a variant of the experiment; null without an experiment */
export function CampaignPreview({
  campaign,
  choice,
}: {
  campaign: SmsCampaign;
  choice: ReactNode;
}) {
  const { phone_id, text, add_organization_name, append_opt_out, google_analytics } = campaign;
  const body = { phone_id, text, add_organization_name, append_opt_out, google_analytics };
  const [subscriberId, setSubscriberId] = useState<string | null>(null);
  const previewBody = { ...body, ...(subscriberId && { subscriber: subscriberId }) };
  const preview = useQuery({
    queryKey: ['sms preview', previewBody],
    queryFn: ({ signal }) => api('POST /client-api/api/sms/preview', { body: previewBody, signal }),
    placeholderData: keepPreviousData,
  });
  return (
    <Stack gap="xs">
      {choice}
      <SubscriberChoice value={subscriberId} onChange={setSubscriberId} />
      <PhoneFrame from={campaign.sender} text={preview.data?.data.shown.text ?? text} />
    </Stack>
  );
}
