// The public web interface of SMS, for screens of higher areas and for the wiring of lower ones.
import { api } from './queries.ts';

export { textReportPath } from './paths.ts';
export { CostPerPerson } from './campaign/cost.tsx';
export { MessageField } from './campaign/message-field.tsx';
export { PersonChoice } from './campaign/person-choice.tsx';
export { PhoneFrame } from './campaign/phone-frame.tsx';
export { type SmsContent, useSmsPreview } from './campaign/preview.ts';
export { UnsavedTestButton } from './campaign/test-message.tsx';
export { SmsTestNote } from './test-note.tsx';
export { SenderField } from './senders/sender-field.tsx';
export { useSenders } from './queries.ts';

/** Sent SMS campaigns whose title matches the search, newest first, for pickers. */
export async function smsCampaignChoices(term: string, signal: AbortSignal) {
  const { data } = await api('GET /client-api/api/sms/campaign', {
    query: {
      status: 'SENT',
      order: 'created',
      direction: 'desc',
      limit: 100,
      ...(term ? { search: term } : {}),
    },
    signal,
  });
  return data.map((one) => ({ value: one.id, label: one.title }));
}
