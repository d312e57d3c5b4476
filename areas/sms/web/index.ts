// Exports of the SMS area for the screens of areas that depend on it and for the wiring of lower
// areas. It only re-exports: a declaration here would add all modules below to the first load.
export { smsCampaignChoices } from './campaign-choices.ts';
export { smsFindings } from './late-findings.tsx';
export { smsReportPath } from './paths.ts';
export { CostPerSubscriber } from './campaign/cost.tsx';
export { MessageField } from './campaign/message-field.tsx';
export { SubscriberChoice } from './campaign/subscriber-choice.tsx';
export { PhoneFrame } from './campaign/phone-frame.tsx';
export { type SmsContent, useSmsPreview } from './campaign/preview.ts';
export { UnsavedTestButton } from './campaign/test-message.tsx';
export { SmsTestNote } from './test-note.tsx';
export { SenderField } from './senders/sender-field.tsx';
export { useSenders } from './queries.ts';
