// The step between uploading a file and importing it: reading options, column targets, groups,
// consent, and the start.
import { Alert, Button, Checkbox, Stack, TagsInput, Text, Title } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useId, useState } from 'react';
import { useAction } from '#platform/web/api/queries.ts';
import { useIdempotencyKey } from '#platform/web/hooks/use-key-of.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { LoadingState } from '#platform/web/ui/states.tsx';
import { flushUnsaved } from '#platform/web/unsaved.ts';
import type { ImportPreview } from '../contract.ts';
import { ColumnsTable } from './columns-table.tsx';
import { FileStatusField, RecognizedService } from './file-status.tsx';
import { ForecastPanel } from './forecast-panel.tsx';
import classes from './import-plan.module.css';
import { OptOutColumns } from './opt-out-columns.tsx';
import {
  createPlan,
  findPlanIssue,
  hasTarget,
  type MappingPlan,
  needsConsent,
  type PlanIssue,
  toImportBody,
} from './plan.ts';
import {
  api,
  CHANGED_BY_IMPORT,
  type ReadingChoice,
  useFields,
  useGroups,
  usePreview,
} from './queries.ts';
import { ReadingOptions } from './reading-options.tsx';
import { SourceFailed } from './source-failed.tsx';
import { UnmatchedColumns } from './unmatched-columns.tsx';

export interface ImportPlanProps {
  /** Id of the uploaded import. */
  id: string;
  /**
   * The message if the upload no longer exists, and the label of the button that chooses another
   * one.
   */
  missingNotice: { title: string; label: string };
  /** Chooses another file. */
  onBack: () => void;
}

export function ImportPlan({ id, missingNotice, onBack }: ImportPlanProps) {
  const [reading, setReading] = useState<ReadingChoice>({});
  const preview = usePreview(id, reading);
  const [decisions, setDecisions] = useState<PlanDecisions>({});
  if (preview.isLoadingError) {
    return <SourceFailed query={preview} missingNotice={{ ...missingNotice, run: onBack }} />;
  }
  if (!preview.data) return <LoadingState rows={8} />;
  const { data } = preview.data;
  const shape = `${data.encoding} ${data.delimiter} ${data.has_header} ${data.header_row}`;
  return (
    <>
      <Heading preview={data} onBack={onBack} />
      <RecognizedService preview={data} />
      {(data.method === 'file' || data.method === 'text') && (
        <ReadingOptions
          preview={data}
          onChange={(change) => setReading({ ...reading, ...change })}
        />
      )}
      <PlanForm key={shape} preview={data} decisions={decisions} onDecide={setDecisions} />
    </>
  );
}

function Heading({ preview, onBack }: { preview: ImportPreview; onBack: () => void }) {
  const t = useTexts('imports');
  const { number } = useFormats();
  return (
    <div className={classes.heading}>
      <div>
        <Title order={2} className={classes.name}>
          <bdi>{preview.fileName || t('text.name')}</bdi>
        </Title>
        <Text c="dimmed" size="sm">
          {t('plan.rows', { count: preview.rowCount, shown: number(preview.rowCount) })}
        </Text>
      </div>
      <Button
        variant="default"
        onClick={onBack}
        leftSection={<IconArrowLeft size={18} stroke={1.75} className={classes.arrow} />}
      >
        {t(`plan.back.${preview.method}`)}
      </Button>
    </div>
  );
}

/** Decisions independent of columns, kept when the file is reread. */
type PlanDecisions = Partial<
  Pick<MappingPlan, 'groups' | 'fileStatus' | 'isAttested' | 'isSmsAttested'>
>;

interface PlanFormProps {
  preview: ImportPreview;
  decisions: PlanDecisions;
  onDecide: (decisions: PlanDecisions) => void;
}

function PlanForm({ preview, decisions, onDecide }: PlanFormProps) {
  const t = useTexts('imports');
  const [plan, setPlan] = useState(() => ({ ...createPlan(preview), ...decisions }));
  const { number } = useFormats();
  const [fault, setFault] = useState<PlanIssue>();
  const fields = useFields();
  const start = useStart(preview, plan);
  const change = (next: MappingPlan) => {
    setPlan(next);
    const { groups: titles, fileStatus, isAttested, isSmsAttested } = next;
    onDecide({ groups: titles, fileStatus, isAttested, isSmsAttested });
    if (fault !== undefined) setFault(findPlanIssue(next));
  };
  const submit = () => {
    const planFault = findPlanIssue(plan);
    setFault(planFault);
    if (planFault === undefined) start.mutate(undefined);
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Title order={2} className={classes.step}>
        {t('columns.title')}
      </Title>
      <Text c="dimmed" size="sm" mb="sm">
        {t('columns.hint')}
      </Text>
      <OptOutColumns plan={plan} onChange={change} />
      <UnmatchedColumns plan={plan} onChange={change} />
      <ColumnsTable
        preview={preview}
        plan={plan}
        fields={fields.data?.data ?? []}
        onChange={change}
      />
      <GroupChoice plan={plan} onChange={change} />
      <Consent plan={plan} onChange={change} isMissing={fault === 'notAttested'} />
      <ForecastPanel
        preview={preview}
        plan={plan}
        onChange={change}
        isOver={start.isPending || start.isSuccess}
      />
      <div className={classes.end}>
        <FaultMessage fault={fault} />
        <Button type="submit" size="md" loading={start.isPending || start.isSuccess}>
          {t('plan.start', { count: preview.rowCount, shown: number(preview.rowCount) })}
        </Button>
      </div>
    </form>
  );
}

function useStart(preview: ImportPreview, plan: MappingPlan) {
  const groups = useGroups();
  const navigate = useNavigate();
  const keyOf = useIdempotencyKey();
  return useAction(
    () => {
      const body = toImportBody(preview, plan, groups.data?.data ?? []);
      return api('POST /client-api/api/subscribers/start_import', {
        body,
        idempotencyKey: keyOf(body),
      });
    },
    {
      invalidates: CHANGED_BY_IMPORT,
      // The import has started, so leaving needs no confirmation; text that was pasted but not
      // uploaded is stored.
      onDone: ({ data }) =>
        void flushUnsaved().then(() =>
          navigate({
            to: '/subscribers/imported_subscribers',
            search: { import: data.id },
            ignoreBlocker: true,
          }),
        ),
    },
  );
}

/**
 * The plan's error, announced and scrolled into view when it appears. A missing attestation is
 * shown at its checkbox instead.
 */
function FaultMessage({ fault }: { fault: PlanIssue | undefined }) {
  const t = useTexts('imports');
  const id = useId();
  useEffect(() => {
    if (fault !== undefined && fault !== 'notAttested')
      document.getElementById(id)?.scrollIntoView({ block: 'nearest' });
  }, [fault, id]);
  if (fault === undefined || fault === 'notAttested') return null;
  return (
    <Alert id={id} color="danger" role="alert">
      {t(`faults.${fault}`)}
    </Alert>
  );
}

function GroupChoice({
  plan,
  onChange,
}: {
  plan: MappingPlan;
  onChange: (plan: MappingPlan) => void;
}) {
  const t = useTexts('imports');
  const groups = useGroups();
  return (
    <section>
      <Title order={2} className={classes.step}>
        {t('groups.title')}
      </Title>
      <TagsInput
        aria-label={t('groups.title')}
        description={t('groups.hint')}
        placeholder={plan.groups.length === 0 ? t('groups.placeholder') : undefined}
        data={[...new Set((groups.data?.data ?? []).map((group) => group.title))]}
        value={plan.groups}
        onChange={(titles) => onChange({ ...plan, groups: titles.slice(0, 20) })}
        maw={560}
        limit={100}
        clearable
        clearButtonProps={{ 'aria-label': t('groups.clear') }}
      />
    </section>
  );
}

function Consent(props: {
  plan: MappingPlan;
  onChange: (plan: MappingPlan) => void;
  isMissing: boolean;
}) {
  const { plan, onChange, isMissing } = props;
  const t = useTexts('imports');
  return (
    <section>
      <Title order={2} className={classes.step}>
        {t('consent.title')}
      </Title>
      <FileStatusField plan={plan} onChange={onChange} />
      <Stack gap="sm">
        {needsConsent(plan) && (
          <Checkbox
            checked={plan.isAttested}
            onChange={(event) => onChange({ ...plan, isAttested: event.currentTarget.checked })}
            label={t('consent.email')}
            description={t('consent.hint')}
            error={isMissing ? t('faults.notAttested') : undefined}
            required
          />
        )}
        {hasTarget(plan, 'phone') && (
          <Checkbox
            checked={plan.isSmsAttested}
            onChange={(event) => onChange({ ...plan, isSmsAttested: event.currentTarget.checked })}
            label={t('consent.sms')}
          />
        )}
      </Stack>
    </section>
  );
}
