// Exports of the broadcasts area for screens: components that the screens of every kind share.
export { useCopyToAccount } from './copy-to-account.ts';
export { DraftOnly } from './draft-only.tsx';
export { ExperimentReport } from './experiment/late-report.ts';
export { ExperimentSetup } from './experiment/late-setup.ts';
export { ExperimentSummary } from './experiment/late-summary.ts';
export { getVariantLetter, useExperiment, useIsTooSmall } from './experiment/experiment-api.ts';
export { useListActs } from './list-acts.ts';
export {
  BroadcastsPage,
  ListFigure,
  NoFigure,
  useBroadcastList,
  useTimeText,
} from './list-page.tsx';
export { CountedRecipients, RecipientCount, useRecipients } from './recipient-count.tsx';
export { RepeatPanel } from './series/late-repeat.tsx';
export { PauseButton, usePauseActions } from './pausing.tsx';
export { RecipientsStep } from './recipients-step.tsx';
export { SavedSettings } from './saved-settings.tsx';
export { ScheduleDialog } from './schedule-dialog.tsx';
export { SendingPanel } from './late-sending-panel.tsx';
export { BroadcastState } from './campaign-state.tsx';
export { StepPage, StepTrail } from './steps.tsx';
export { useTimingNote } from './timing-note.ts';
export { useSettingsSaving } from './settings-saving.ts';
export { UtmField } from './utm/utm-field.tsx';
export { UtmOverrideFields } from './utm/late-override.ts';
export { type UtmFormValues, toUtmForm, toUtmValues, createUtmRules } from './utm/utm-form.ts';
export { type Broadcast, getBroadcastApi, type BroadcastUi, listAffectedQueries } from './ui.ts';
