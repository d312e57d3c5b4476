// The top bar: title, save state, undo, redo, preview, activation, save.
import { ActionIcon, Button, Group, Switch, TextInput, Tooltip } from '@mantine/core';
import { IconEye, IconHelp, IconPencil } from '@tabler/icons-react';
import { StepButtons } from '#platform/web/editing/step-buttons.tsx';
import { toast } from '#platform/web/errors/notices.tsx';
import { useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { SaveState } from '#platform/web/ui/save-state.tsx';
import { WorkBar } from '#platform/web/ui/work-bar.tsx';
import { MAX_TITLE_LENGTH } from '../../shared.ts';
import { api, LIST_PATH, viewPath } from '../queries.ts';
import { useMissingCouponConfirm } from '../missing-coupon-confirm.ts';
import type { BuilderProps } from './builder-screen.tsx';
import { COUPON_ISSUES } from './draft-issues.ts';
import { useDraftIssues } from './draft-issue-list.tsx';
import classes from './builder.module.css';
import { focusFixTarget, FIX_PLACES, toPublishError } from './fixes.ts';
import { useBuilder, useDraft, useHistory } from './store.ts';

export interface BuilderTopBarProps extends BuilderProps {
  isPreview: boolean;
  onPreview: (isPreview: boolean) => void;
  onTour: () => void;
}

export function TopBar({ form, saving, isPreview, onPreview, onTour }: BuilderTopBarProps) {
  const t = useTexts('forms-builder');
  const { id } = form;
  return (
    <WorkBar back={{ to: viewPath(id), label: t('back') }}>
      <Title saving={saving} />
      {!isPreview && <Steps />}
      <Group gap="xs" wrap="nowrap" className={classes.acts}>
        <Tooltip label={t('tour.again')}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={t('tour.again')}
            disabled={isPreview}
            onClick={onTour}
          >
            <IconHelp size={18} stroke={1.75} />
          </ActionIcon>
        </Tooltip>
        <Button
          variant="default"
          leftSection={
            isPreview ? <IconPencil size={18} stroke={1.75} /> : <IconEye size={18} stroke={1.75} />
          }
          onClick={() => onPreview(!isPreview)}
        >
          {t(isPreview ? 'preview.back' : 'preview.open')}
        </Button>
        <Publishing form={form} saving={saving} />
      </Group>
    </WorkBar>
  );
}

function Title({ saving }: Pick<BuilderTopBarProps, 'saving'>) {
  const t = useTexts('forms-builder');
  const builder = useBuilder();
  const { title } = useDraft();
  return (
    <div className={classes.name}>
      <h1 className={classes.hidden}>{t('title')}</h1>
      <TextInput
        variant="unstyled"
        size="sm"
        aria-label={t('name')}
        dir="auto"
        maxLength={MAX_TITLE_LENGTH}
        value={title}
        error={title.trim() === ''}
        classNames={{ input: classes.titleInput }}
        onChange={(event) => {
          const { value } = event.currentTarget;
          builder.edit((draft) => ({ ...draft, title: value }), 'title');
        }}
      />
      <SaveState state={saving.saving} at={saving.savedAt} />
      {saving.saving === 'failed' && (
        <Button size="compact-xs" variant="subtle" onClick={() => void saving.flush()}>
          {t('platform:states.retry')}
        </Button>
      )}
    </div>
  );
}

function Steps() {
  const { undo, redo } = useBuilder();
  return <StepButtons undo={undo} redo={redo} {...useHistory()} />;
}

/** Save publishes the draft to sites; the switch decides whether they show the form at all. */
function Publishing({ form, saving }: BuilderProps) {
  const t = useTexts('forms-builder');
  const { id } = form;
  const isPromiseKept = useMissingCouponCheck();
  const withOpenFix = useOpenFix();
  const save = useAction(
    async () => {
      if (!(await isPromiseKept())) return;
      if (!(await saving.flush())) return;
      await withOpenFix(() =>
        api('POST /client-api/api/forms/{id}/publish', { params: { id }, body: {} }),
      );
      toast(t(form.is_active ? 'save.doneOn' : 'save.doneOff'));
    },
    { invalidates: [LIST_PATH] },
  );
  const activate = useAction(
    async (is_active: 0 | 1) => {
      if (is_active === 1 && !(await isPromiseKept())) return;
      if (!(await saving.flush())) return;
      await withOpenFix(() =>
        api('PATCH /client-api/api/forms/{id}', { params: { id }, body: { is_active } }),
      );
      toast(t(is_active === 1 ? 'turned.on' : 'turned.off'));
    },
    { invalidates: [LIST_PATH] },
  );
  return (
    <>
      <Switch
        label={t('on')}
        checked={activate.isPending ? activate.variables === 1 : form.is_active}
        disabled={activate.isPending}
        onChange={({ currentTarget }) => activate.mutate(currentTarget.checked ? 1 : 0)}
      />
      <Button data-tour="save" loading={save.isPending} onClick={() => save.mutate(undefined)}>
        {t('save.act')}
      </Button>
    </>
  );
}

function useMissingCouponCheck(): () => Promise<boolean> {
  const builder = useBuilder();
  const confirmMissingCoupon = useMissingCouponConfirm();
  const couponIssue = useDraftIssues().find((finding) => COUPON_ISSUES.includes(finding));
  return async () => {
    if (!couponIssue) return true;
    const isConfirmed = await confirmMissingCoupon(couponIssue);
    const fixPlace = FIX_PLACES[couponIssue];
    if (!isConfirmed && fixPlace) focusFixTarget(builder, fixPlace);
    return isConfirmed;
  };
}

/** Opens the field that a refusal is about; the error is shown as well. */
function useOpenFix() {
  const builder = useBuilder();
  return async <Result,>(send: () => Promise<Result>): Promise<Result> => {
    try {
      return await send();
    } catch (error) {
      const publishError = toPublishError(error);
      const fixPlace = publishError && FIX_PLACES[publishError];
      if (fixPlace) focusFixTarget(builder, fixPlace);
      throw error;
    }
  };
}
